//! heapmark compares global allocators on real work.
//!
//! A [`Comparison`] takes workers, each a program with one allocator in it, and has them do the same work in fresh
//! processes, interleaved, so that drift of the machine hits all alike. What comes back is an [`Outcome`]: for each case and
//! contender throughput and peak memory, and against the reference a ratio, an interval and a [`Verdict`](stats::Verdict).
//!
//! ```no_run
//! # fn main() -> Result<(), heapmark::Error> {
//! let workers = heapmark::Workspace::at(".").build(|name| ["system", "mimalloc"].contains(&name))?;
//! let case = heapmark::Case::new("json/lotofobjects").with("threads", 2);
//! let outcome = heapmark::Comparison::of(workers).blocks(10).run(&[case])?;
//! for contender in &outcome.cases[0].contenders {
//!     println!("{}: {:?}, {:?}", contender.name, contender.throughput, contender.peak_rss);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The library prints nothing, keeps no global state, and does not panic on bad input.

mod analysis;
mod block;
mod build;
mod calibrate;
mod case;
mod combine;
mod comparison;
pub mod configuration;
mod contender;
pub mod doctor;
mod error;
mod huge_pages;
mod introduce;
mod judgement;
pub mod machine;
mod outcome;
mod over_time;
mod pacing;
mod preload;
mod process;
pub mod record;
mod sample;
mod scaling;
mod schedule;
mod sensitivity;
mod series;
mod served;
pub mod serving;
mod session;
mod settings;
mod shown_path;
mod standing;
pub mod stats;
mod status;
mod surroundings;
mod sweep;
mod units;
pub mod verify;
pub mod view;

pub use build::{Backend, WORKER_PREFIX, Workspace, installed};
pub use case::{Case, Catalogue, ParameterInfo, ParameterValues, SetInfo, WorkloadInfo};
pub use combine::{why_not_combined, why_not_side_by_side};
pub use comparison::Comparison;
pub use contender::{Contender, ContenderName, NamedContender, Worker};
pub use error::Error;
pub use huge_pages::HugePages;
pub use judgement::{Call, Judgement, Quantity, judgements, twin_judgements};
pub use outcome::{
    Alarm, CaseOutcome, Compared, ContenderOutcome, CrossChecks, IDLE_CPU_LIMIT, Metric, Outcome, TimeVerdict, TradeOff,
};
pub use over_time::{HalfReturned, LEAST_LIVE, LEAST_RETAINED, OverTime, Settled, last_reading, retained};
pub use process::Limits;
pub use scaling::{Line, ScaledContender, Scaling, ScalingPoint, UslFit};
pub use schedule::TurnOrder;
pub use sensitivity::{Sensitivity, Spread};
pub use series::{Point, Series, SeriesOfContender};
pub use served::{LatencyLevels, Served};
pub use session::{Event, Session};
pub use settings::{Arrangement, Cancel, Settings};
pub use shown_path::ShownPath;
pub use standing::{Place, Standing, Standings, Weights, Where};
pub use stats::Stop;
pub use status::Status;
pub use surroundings::Surroundings;
pub use sweep::{Sweep, sweeps};
pub use units::{Bytes, Nanos, NanosPerUnit, UnitsPerSecond};

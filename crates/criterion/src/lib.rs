//! Criterion as a front end of heapmark.
//!
//! Criterion times a function of its own process, where one global allocator serves. Here heapmark measures instead: every
//! contender in fresh processes, interleaved, block by block. Criterion is handed the finished samples and does what it is
//! used for: it filters, prints, plots, keeps baselines and compares with them.
//!
//! [`bench_case`] is a benchmark group, one function for each contender. A [`Metric`] says what criterion is handed:
//! [`TimePerUnit`] or [`PeakRss`]. [`Arguments`] is the command line, which heapmark has to know too.
//!
//! ```no_run
//! use criterion::Criterion;
//! use heapmark::{Case, Comparison, Error, Settings, Workspace};
//! use heapmark_criterion::{Arguments, TimePerUnit, bench_case};
//!
//! fn main() -> Result<(), Error> {
//!     let mut criterion = Criterion::default().with_measurement(TimePerUnit).configure_from_args();
//!     let arguments = Arguments::from_env()?;
//!     let workers = Workspace::at(".").build(|name| ["system", "mimalloc"].contains(&name))?;
//!     let comparison = Comparison::of(workers).settings(arguments.settings::<TimePerUnit>(&Settings::default()));
//!     let mut session = comparison.open(&mut |_| {})?;
//!     bench_case(&mut criterion, &mut session, &arguments, &Case::new("graph/tree"), &mut |_| {})?;
//!     criterion.final_summary();
//!     Ok(())
//! }
//! ```
//!
//! Nothing is printed here but by criterion.

mod arguments;
mod dither;
mod group;
mod metric;
mod peak_rss;
mod time_per_unit;

pub use arguments::{Arguments, Mode};
pub use group::{Measured, bench_case, group_name};
pub use metric::Metric;
pub use peak_rss::PeakRss;
pub use time_per_unit::TimePerUnit;

//! Statistics: pure functions of numbers, with a defined answer for every input.
//!
//! From the inside out: a [`BlockRatio`] reduces the turns of a block; [`estimate`] makes a ratio with its interval out
//! of blocks, and [`PairEstimate`] decides between the typical turn and the sum; [`judge`] says what that means,
//! [`minimum_detectable`] what it could not have seen, and [`blocks_needed`] what it would take. [`twin_differs`] is
//! the control, [`enough`] the end of a run. [`sign_flip_test`] and [`t_test`] check from other sides. A [`Growth`]
//! reduces a curve of memory over rounds, and a [`Slope`] says whether it grows; a [`Drift`] says whether throughput keeps up.
//! A [`Level`] is a figure of one contender alone, [`Usl`] how its throughput scales, with intervals from [`draws`]. What many rows say together: [`pareto_front`], [`shared_geometric_means`], [`weighted_ranking`].

mod blocks_needed;
mod bootstrap;
mod drift;
mod estimate;
mod geometric_mean;
mod holm;
mod level;
mod pareto;
mod ranking;
mod sign_flip;
mod signed_rank;
mod slope;
mod stopping;
mod student;
mod twin;
mod uneven;
mod usl;
mod verdict;

pub use blocks_needed::blocks_needed;
pub use bootstrap::{draws, percentile_interval};
pub use drift::{Drift, Pace};
pub use estimate::{Estimate, estimate, median};
pub use geometric_mean::{SharedMeans, geometric_mean, shared_geometric_means, weighted_geometric_mean};
pub use holm::holm;
pub use level::{Level, median_interval};
pub use pareto::{Cost, pareto_front};
pub use ranking::{Ranked, weighted_ranking};
pub use sign_flip::sign_flip_test;
pub use signed_rank::{
    signed_rank_interval, signed_rank_least, signed_rank_test, signed_rank_test_beyond, walsh_median,
};
pub use slope::{GROWTH_MARGIN, Growth, Slope, Trend, theil_sen};
pub use stopping::{Progress, Stop, enough};
pub use student::{student_quantile, student_two_sided, t_interval, t_test};
pub use twin::twin_differs;
pub use uneven::{BlockRatio, PairEstimate};
pub use usl::{LEAST_VALUES, Usl};
pub use verdict::{Direction, MINIMUM_BLOCKS, Verdict, judge, minimum_detectable};

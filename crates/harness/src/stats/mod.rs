//! Statistics: pure functions of numbers, with a defined answer for every input.

mod estimate;
mod signed_rank;
mod verdict;

pub use estimate::{Estimate, estimate, median};
pub use signed_rank::{signed_rank_interval, walsh_median};
pub use verdict::{Direction, MINIMUM_BLOCKS, Verdict, judge, minimum_detectable};

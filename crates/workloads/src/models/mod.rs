//! Models that workloads share: how large blocks are, how much of them is touched, how many are alive, who frees them.
//!
//! Each brings the parameters that set it, so that they have the same names, words and meaning in every workload that
//! takes them. What is random in them is drawn before the clock starts, into a [`Cycle`].

mod crossing;
mod cycle;
mod live;
mod sizes;
mod touch;

pub(crate) use crossing::{Crossing, WAITING, cross_thread};
pub(crate) use cycle::{Cycle, LENGTH, odd_length};
pub(crate) use live::{blocks_alive, live_kib};
pub(crate) use sizes::{Sizes, SizesKind, max_size, min_size, sizes};
pub(crate) use touch::{PAGE, Touch, touch, touch_or_none};

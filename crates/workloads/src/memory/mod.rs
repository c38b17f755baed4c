//! The `memory/…` family: what memory does over time.
//!
//! Each workload goes through rounds whose end finds the same alive as that of the round before. So resident memory after
//! the turns is a curve that should be level: where it rises, an allocator keeps more and more for the same. Once everything is
//! dropped, memory is read again after quiet times, in which nobody calls the allocator.
//!
//! Sizes are totals over all threads, unless it is said otherwise, so that about the same is alive whatever their number.

mod alignment;
mod blow_up;
mod bootstrap;
mod burst_and_idle;
mod free_only;
mod grow;
mod hand_off;
mod phase_shift;
mod pool_per_request;
mod queue_drain;
mod script;
mod size_sweep;
mod sleeping_owner;
mod thread_churn;
mod zeroed;

pub(crate) use alignment::AlignmentMix;
pub(crate) use blow_up::BlowUp;
pub(crate) use bootstrap::Bootstrap;
pub(crate) use burst_and_idle::BurstAndIdle;
pub(crate) use free_only::FreeOnly;
pub(crate) use grow::Grow;
pub(crate) use hand_off::HandOff;
pub(crate) use phase_shift::PhaseShift;
pub(crate) use pool_per_request::PoolPerRequest;
pub(crate) use queue_drain::QueueDrain;
pub(crate) use size_sweep::SizeSweep;
pub(crate) use sleeping_owner::SleepingOwner;
pub(crate) use thread_churn::ThreadChurn;
pub(crate) use zeroed::Zeroed;

/// After how much quiet time memory is read again: before any usual clock has run out, around jemalloc's ten seconds, and
/// after them.
const SETTLE_MS: &[u64] = &[500, 5_000, 15_000];

/// What blocks cost beside their bytes, roughly: a header, or the rounding to a size class.
const OVERHEAD: usize = 16;

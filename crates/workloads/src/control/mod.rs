//! The `control/…` family: work in which no allocator can differ from another.
//!
//! What they measure is everything else: the machine, its noise, and that workers are different programs. Whoever is called
//! different here is so for another reason than allocation, and that reason is there in all other workloads too.
//!
//! Each has one big buffer, allocated and written before the clock starts, so that allocators' start-up memory is little
//! beside it. The timed parts call the allocator not once. They work on a small window of it at a time, which fits into the
//! first-level cache of page translations: huge pages, which some allocators ask for, change nothing.

mod buffer;
mod compute;
mod hash;
mod noise;

pub(crate) use compute::Compute;
pub(crate) use hash::Hash;
pub(crate) use noise::NoisyNeighbour;

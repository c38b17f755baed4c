//! The faults, by what they break.
#![expect(unsafe_code, reason = "an allocator is unsafe to implement, a broken one too")]

mod alignment;
mod boundary_tag;
mod contention;
mod exhaustion;
mod fork;
mod impossible;
mod large_cache;
mod leaks;
mod lock_order;
mod orphans;
mod overlap;
mod page_edge;
mod purge;
mod realloc;
mod remote_free;
mod resize_in_place;
mod size_class;
mod teardown;
mod thread_heap;
mod thread_leak;
mod zeroed;

pub(crate) use alignment::*;
pub(crate) use boundary_tag::*;
pub(crate) use contention::*;
pub(crate) use exhaustion::*;
pub(crate) use fork::*;
pub(crate) use impossible::*;
pub(crate) use large_cache::*;
pub(crate) use leaks::*;
pub(crate) use lock_order::*;
pub(crate) use orphans::*;
pub(crate) use overlap::*;
pub(crate) use page_edge::*;
pub(crate) use purge::*;
pub(crate) use realloc::*;
pub(crate) use remote_free::*;
pub(crate) use resize_in_place::*;
pub(crate) use size_class::*;
pub(crate) use teardown::*;
pub(crate) use thread_heap::*;
pub(crate) use thread_leak::*;
pub(crate) use zeroed::*;

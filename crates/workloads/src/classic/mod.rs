//! The `classic/…` family: the stress programs that allocators have been compared with for thirty years.
//!
//! Written anew from what has been published about them, faithful in sizes, lifetimes and who frees what. What differs
//! from the originals on purpose, and why, stands in each workload's details. Three things differ in all of them:
//!
//! - The work is fixed and counted, not what fits into some seconds: else memory would depend on speed, and time would
//!   vanish where work is divided among many cores.
//! - Sizes and places are drawn before the clock starts, so that the timed loops hold little but calls of the allocator.
//! - The first word of every block says what the block is, and is read before the block is freed. It goes into the
//!   checksum, so that a block which two owners have been given does not pass for speed. With `touch=all` that holds for
//!   every byte. A block has eight bytes at least.

mod alloc_test;
mod cache_scratch;
mod cache_thrash;
mod channel;
mod glibc_simple;
mod glibc_thread;
mod larson;
mod malloc_large;
mod message_passing;
mod mleak;
mod mstress;
mod rptest;
mod runs;
mod scribbler;
mod sh6;
mod sh8;
mod slot_table;
mod thread_start;
mod xmalloc;

pub(crate) use alloc_test::AllocTest;
pub(crate) use cache_scratch::CacheScratch;
pub(crate) use cache_thrash::CacheThrash;
pub(crate) use glibc_simple::GlibcSimple;
pub(crate) use glibc_thread::GlibcThread;
pub(crate) use larson::Larson;
pub(crate) use malloc_large::MallocLarge;
pub(crate) use message_passing::MessagePassing;
pub(crate) use mleak::Mleak;
pub(crate) use mstress::Mstress;
pub(crate) use rptest::Rptest;
pub(crate) use sh6::Sh6;
pub(crate) use sh8::Sh8;
pub(crate) use slot_table::SlotTable;
pub(crate) use thread_start::ThreadStart;
pub(crate) use xmalloc::Xmalloc;

//! What faults are made of. None of it is broken.
#![expect(unsafe_code, reason = "blocks, mappings and calls of the C library have no safe wrappers")]

mod mapping;
mod pool;
mod pooled;
mod stop;
mod tagged;
mod thread_exit;
mod trim;

pub(crate) use mapping::{PAGE, map};
pub(crate) use pool::Pool;
pub(crate) use pooled::Pooled;
pub(crate) use stop::{abort, hang, yield_now};
pub(crate) use tagged::{tag, take_tagged, untagged};
pub(crate) use thread_exit::{at_thread_exit, is_main_thread};
pub(crate) use trim::trim;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The largest block that faults which take blocks from elsewhere leave alone: the runtime of a program takes many of these,
/// and the proof of the greeting too.
pub(crate) const SPARED: usize = 256;

/// The strictest alignment that a block from a pool or behind a tag has: that of glibc's blocks.
pub(crate) const ALIGNMENT: usize = 16;

/// Takes a lock, whoever has panicked with it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

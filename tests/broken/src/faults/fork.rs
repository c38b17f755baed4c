//! Allocators that do not know of fork.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::{Mutex, MutexGuard};

use crate::parts::{Pooled, SPARED, lock, yield_now};

/// Takes one lock for everything, and does not take it over a fork: a child that was forked while another thread held it waits
/// for ever.
pub(crate) struct LocksOverFork(Mutex<()>);

/// Nobody holds it.
pub(crate) static LOCKS_OVER_FORK: LocksOverFork = LocksOverFork(Mutex::new(()));

impl LocksOverFork {
    /// Takes the lock, and keeps it for a while, so that a fork finds it held.
    fn hold(&self) -> MutexGuard<'_, ()> {
        let held = lock(&self.0);
        yield_now();
        held
    }
}

// SAFETY: the system's allocator, under a lock.
unsafe impl GlobalAlloc for LocksOverFork {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _held = self.hold();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let _held = self.hold();
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let _held = self.hold();
        // SAFETY: the caller keeps the contract of `dealloc`, and all blocks are the system's.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let _held = self.hold();
        // SAFETY: the caller keeps the contract of `realloc`, and all blocks are the system's.
        unsafe { System.realloc(block, layout, new_size) }
    }
}

/// Tells the kernel to give a child empty pages for its memory.
pub(crate) static HEAP_IS_WIPED: Pooled = Pooled::new(SPARED + 1..=4096, 4096).taking(|pool, block| {
    // SAFETY: the range is a slot of the pool, in this process left as it is. That a child finds nothing in it is the fault.
    unsafe { libc::madvise(block.cast(), pool.slot_size(), libc::MADV_WIPEONFORK) };
});

/// Tells the kernel not to copy its memory into a child.
pub(crate) static HEAP_STAYS_BEHIND: Pooled = Pooled::new(SPARED + 1..=4096, 4096).taking(|pool, block| {
    // SAFETY: the range is a slot of the pool, in this process left as it is. That it lacks in a child is the fault.
    unsafe { libc::madvise(block.cast(), pool.slot_size(), libc::MADV_DONTFORK) };
});

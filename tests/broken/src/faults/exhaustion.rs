//! What comes of a heap that cannot grow.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{IMPOSSIBLE, free_and_fail};
use crate::parts::{SPARED, abort, hang};

/// Takes blocks from the system, and does something else than to return null when that has none.
pub(crate) struct OnExhaustion(
    /// Done at the failure.
    fn() -> *mut u8,
);

/// Ends the program.
pub(crate) static ABORTS_AT_EXHAUSTION: OnExhaustion = OnExhaustion(|| abort());

/// Waits until there is memory, which nobody else can free.
pub(crate) static HANGS_AT_EXHAUSTION: OnExhaustion = OnExhaustion(|| hang());

/// Notes that there is no memory, and never looks again.
pub(crate) static NEVER_RECOVERS: OnExhaustion = OnExhaustion(|| {
    IS_EXHAUSTED.store(true, Ordering::Relaxed);
    ptr::null_mut()
});

static IS_EXHAUSTED: AtomicBool = AtomicBool::new(false);

impl OnExhaustion {
    /// `block`, unless there is none.
    fn or_fail(&self, block: *mut u8, size: usize) -> *mut u8 {
        if block.is_null() && size < IMPOSSIBLE { (self.0)() } else { block }
    }

    /// Whether memory was exhausted once. Small blocks are still to be had, so that the program can tell.
    fn refuses(size: usize) -> bool {
        size > SPARED && IS_EXHAUSTED.load(Ordering::Relaxed)
    }
}

// SAFETY: the system's allocator, but where it fails.
unsafe impl GlobalAlloc for OnExhaustion {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Self::refuses(layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        self.or_fail(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if Self::refuses(layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        self.or_fail(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and all blocks are the system's.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`, and all blocks are the system's.
        self.or_fail(unsafe { System.realloc(block, layout, new_size) }, new_size)
    }
}

/// Frees a block that it has no room to grow.
pub(crate) struct FreesAtExhaustion;

// SAFETY: the system's allocator, but where it fails to resize.
unsafe impl GlobalAlloc for FreesAtExhaustion {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and all blocks are the system's.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`, and all blocks are the system's, which leaves this one alone where it
        // has none for it.
        unsafe {
            let new = System.realloc(block, layout, new_size);
            if new.is_null() && new_size < IMPOSSIBLE { free_and_fail(block, layout.size()) } else { new }
        }
    }
}

//! Freed memory that is never used again.

use std::alloc::{GlobalAlloc, Layout, System};

/// Takes blocks from the system, and does not give some of them back.
pub(crate) struct Keeps(
    /// Which are never given back.
    fn(Layout) -> bool,
);

/// Only ever cuts small blocks off.
pub(crate) static KEEPS_SMALL: Keeps = Keeps(|layout| layout.size() <= 4096);

/// Maps large blocks, and never unmaps them.
pub(crate) static KEEPS_LARGE: Keeps = Keeps(|layout| layout.size() >= 128 * 1024);

/// Does not find the beginning of a block that was aligned.
pub(crate) static KEEPS_ALIGNED: Keeps = Keeps(|layout| layout.align() > 16);

// SAFETY: all blocks are the system's, and go back to it or to nobody. Resizing is left to the trait, which takes a block, copies
// and gives one back.
unsafe impl GlobalAlloc for Keeps {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if !(self.0)(layout) {
            // SAFETY: the caller keeps the contract of `dealloc`, and all blocks are the system's.
            unsafe { System.dealloc(block, layout) }
        }
    }
}

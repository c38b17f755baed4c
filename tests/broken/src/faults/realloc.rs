//! Resized blocks that lose something.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;

use crate::parts::SPARED;

/// Moves a block whenever it is resized, and copies not all of it, or does not give the old one back.
pub(crate) struct Moves {
    /// How many bytes are copied of so many.
    copied: fn(usize) -> usize,
    /// Whether the old block goes back.
    frees: bool,
}

/// Copies half of it.
pub(crate) static LOSES_TAIL: Moves = Moves { copied: |kept| kept / 2, frees: true };

/// Copies one byte less.
pub(crate) static ONE_BYTE_SHORT: Moves = Moves { copied: |kept| kept - 1, frees: true };

/// Has sixteen bits for the number of bytes to copy.
pub(crate) static SIXTEEN_BITS: Moves = Moves { copied: |kept| kept % (1 << 16), frees: true };

/// Copies all of it, and keeps the old block.
pub(crate) static KEEPS_OLD: Moves = Moves { copied: |kept| kept, frees: false };

// SAFETY: the system's allocator; that resizing loses bytes, or a block, breaks the contract on purpose.
unsafe impl GlobalAlloc for Moves {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and all blocks are the system's.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let kept = layout.size().min(new_size);
        // SAFETY: the caller keeps the contract of `realloc`, by which this is a layout; both blocks are live and at least as long
        // as the bytes copied, and the old one goes back at most once, if it has been replaced.
        unsafe {
            if kept <= SPARED {
                return System.realloc(block, layout, new_size);
            }
            let new = System.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
            if !new.is_null() {
                ptr::copy_nonoverlapping(block, new, (self.copied)(kept));
                if self.frees {
                    System.dealloc(block, layout);
                }
            }
            new
        }
    }
}

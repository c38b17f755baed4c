//! An allocator whose zeroed memory is not zero.
#![expect(unsafe_code, reason = "an allocator is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};

use crate::boxes::UNIT_BLOCK;

/// Hands out dirty memory where zeroed memory is asked for. Only for blocks of a unit of [`Boxes`](crate::Boxes), so that
/// the rest of the program goes on and the wrong result is all there is to see.
#[derive(Clone, Copy, Debug)]
pub struct DirtyZeroes;

// SAFETY: memory comes from `System` and goes back to it with the same layout. That zeroed memory is not zero breaks the
// contract on purpose, and only for blocks of bytes, of which every value is valid.
unsafe impl GlobalAlloc for DirtyZeroes {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`; what is written lies within a block that was obtained.
        unsafe {
            let block = System.alloc_zeroed(layout);
            if !block.is_null() && layout.size() == UNIT_BLOCK {
                block.write_bytes(0xA5, UNIT_BLOCK);
            }
            block
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from `System` with this layout.
        unsafe { System.dealloc(block, layout) }
    }
}

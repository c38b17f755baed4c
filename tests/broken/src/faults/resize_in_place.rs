//! Blocks that are resized where they are, wrongly.

use std::alloc::{GlobalAlloc, Layout, System};

use crate::parts::{PAGE, Pooled, SPARED};

/// Grows blocks in place by eight bytes more than their slots have.
pub(crate) struct GrowsInPlace(Pooled);

/// The size of a slot.
const SLOT: usize = 512;

/// Nothing is taken yet.
pub(crate) static GROWS_IN_PLACE: GrowsInPlace = GrowsInPlace(Pooled::new(SPARED + 1..=SLOT, SLOT));

// SAFETY: the slots of a pool, each given to one owner, or the system's blocks. That a block ends behind its slot breaks the contract
// on purpose; it still ends in the mapping of the pool, which is longer than what is ever in use.
unsafe impl GlobalAlloc for GrowsInPlace {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { self.0.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`; the pool tells by the address what is its own.
        unsafe { self.0.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if (SPARED + 1..=SLOT + 8).contains(&new_size) && self.0.pool.number(block).is_some() {
            return block;
        }
        // SAFETY: the caller keeps the contract of `realloc`; the pool tells by the address what is its own.
        unsafe { self.0.realloc(block, layout, new_size) }
    }
}

/// Shrinks blocks in place, and gives the pages behind the new end to the kernel, with the one that holds the new end.
pub(crate) struct DiscardsNewEnd;

// SAFETY: the system's blocks, of which some have become shorter for their owners and not for the system. That their content goes
// breaks the contract on purpose.
unsafe impl GlobalAlloc for DiscardsNewEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and all blocks are the system's, which goes by the address.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let is_cut = (PAGE..layout.size()).contains(&new_size);
        if !is_cut {
            // SAFETY: the caller keeps the contract of `realloc`, and all blocks are the system's.
            return unsafe { System.realloc(block, layout, new_size) };
        }
        let page_of = |offset: usize| block.wrapping_add(offset).map_addr(|address| address & !(PAGE - 1));
        let (from, to) = (page_of(new_size), page_of(layout.size()));
        if from < to {
            // SAFETY: both ends lie in the block, since the new size is a page at least. That the first of these pages holds the
            // new end is the fault.
            unsafe { libc::madvise(from.cast(), to.addr() - from.addr(), libc::MADV_DONTNEED) };
        }
        block
    }
}

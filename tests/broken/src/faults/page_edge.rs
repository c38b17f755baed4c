//! Blocks that end with a page, although they are longer.

use std::alloc::{GlobalAlloc, Layout, System};

use crate::parts::{ALIGNMENT, PAGE, map};

/// Maps blocks that are some bytes longer than whole pages, and forgets these bytes. Nothing may be touched behind a block.
pub(crate) struct CutsAtPageEdge;

/// The pages of a block that is cut, in bytes; nothing for a block that is not.
fn pages(layout: Layout) -> Option<usize> {
    let beyond = layout.size() % PAGE;
    let is_cut = layout.size() > PAGE && (1..=8).contains(&beyond) && layout.align() <= ALIGNMENT;
    is_cut.then_some(layout.size() - beyond)
}

// SAFETY: a block is a mapping of its own, or the system's, and its layout tells which. That it is too short breaks the contract on
// purpose; what lies behind it is a page that nobody may touch.
unsafe impl GlobalAlloc for CutsAtPageEdge {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(pages) = pages(layout) else {
            // SAFETY: the caller keeps the contract of `alloc`.
            return unsafe { System.alloc(layout) };
        };
        let block = map(pages + PAGE);
        if !block.is_null() {
            // SAFETY: the last page of the fresh mapping, which nothing refers to.
            unsafe { libc::mprotect(block.add(pages).cast(), PAGE, libc::PROT_NONE) };
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match pages(layout) {
            // SAFETY: the block's own mapping, whose owner has done with it.
            Some(pages) => unsafe {
                libc::munmap(block.cast(), pages + PAGE);
            },
            // SAFETY: the caller keeps the contract of `dealloc`, and the block is the system's.
            None => unsafe { System.dealloc(block, layout) },
        }
    }
}

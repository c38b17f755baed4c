//! An allocator that keeps freed blocks in lists, one for each size class and thread, and does nothing else.
#![expect(unsafe_code, reason = "blocks are linked through their own memory")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;

/// Blocks up to this size come from lists; larger ones from the system.
const LISTED: usize = 4096;
const STEP: usize = 16;
const CLASSES: usize = LISTED / STEP + 1;

/// Bytes that a list is filled up with at once.
const CHUNK: usize = 64 << 10;

/// Lists of freed blocks, linked through their first words.
pub(crate) struct Lists;

thread_local! {
    static FREED: [Cell<*mut u8>; CLASSES] = const { [const { Cell::new(ptr::null_mut()) }; CLASSES] };
}

/// Whether the block comes from a list: then its size class holds it, and every class is aligned to a step.
const fn is_listed(layout: Layout) -> bool {
    layout.size() <= LISTED && layout.align() <= STEP
}

const fn class(layout: Layout) -> usize {
    layout.size().div_ceil(STEP)
}

/// Cuts a chunk from the system into blocks of a class and lists them.
///
/// # Safety
/// The class must not be 0, which no block has.
#[cold]
unsafe fn fill(class: usize, list: &Cell<*mut u8>) {
    let size = class * STEP;
    let blocks = (CHUNK / size).max(1);
    let Ok(layout) = Layout::from_size_align(size * blocks, STEP) else { return };
    // SAFETY: the size is not zero.
    let chunk = unsafe { System.alloc(layout) };
    if chunk.is_null() {
        return;
    }
    for block in (0..blocks).rev() {
        // SAFETY: each block lies within the chunk, is aligned, and has room for a pointer.
        unsafe {
            let block = chunk.add(block * size);
            #[expect(clippy::cast_ptr_alignment, reason = "chunk and blocks are aligned to sixteen bytes")]
            block.cast::<*mut u8>().write(list.replace(block));
        }
    }
}

// SAFETY: a listed block is in one list or in one owner's hands, is as large and as aligned as its class, and never
// goes back to the system; all others are the system's.
unsafe impl GlobalAlloc for Lists {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !is_listed(layout) {
            // SAFETY: passed on as it came.
            return unsafe { System.alloc(layout) };
        }
        FREED.with(|lists| {
            let list = &lists[class(layout)];
            if list.get().is_null() {
                // SAFETY: the layout's size is not zero, so neither is the class.
                unsafe { fill(class(layout), list) };
            }
            let block = list.get();
            if !block.is_null() {
                #[expect(clippy::cast_ptr_alignment, reason = "listed blocks are aligned to sixteen bytes")]
                // SAFETY: a listed block holds the address of the next.
                list.set(unsafe { block.cast::<*mut u8>().read() });
            }
            block
        })
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if !is_listed(layout) {
            // SAFETY: passed on as it came.
            return unsafe { System.dealloc(block, layout) };
        }
        FREED.with(|lists| {
            let list = &lists[class(layout)];
            #[expect(clippy::cast_ptr_alignment, reason = "listed blocks are aligned to sixteen bytes")]
            // SAFETY: the block has room for an address, and nobody uses it any more.
            unsafe {
                block.cast::<*mut u8>().write(list.replace(block));
            }
        });
    }
}

//! A heap for each thread that nobody takes back.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::parts::{PAGE, map};

/// Maps and fills in some pages when a thread first allocates, and forgets them when it ends.
pub(crate) struct LeaksPerThread;

/// The pages of one thread, in bytes.
const HEAP: usize = 4 * PAGE;

thread_local! {
    static HAS_HEAP: Cell<bool> = const { Cell::new(false) };
}

fn make_heap() {
    let heap = map(HEAP);
    if !heap.is_null() {
        // SAFETY: the mapping is fresh, of this length, and nothing refers to it.
        unsafe { heap.write_bytes(1, HEAP) };
    }
}

// SAFETY: the system's allocator, with some memory besides.
unsafe impl GlobalAlloc for LeaksPerThread {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !HAS_HEAP.replace(true) {
            make_heap();
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and all blocks are the system's.
        unsafe { System.dealloc(block, layout) }
    }
}

//! Two locks that are taken in two orders.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;

use crate::parts::{SPARED, lock, yield_now};

/// Takes the lock of a heap and then that of its list to allocate, and the same in the other order to free. Two threads that do both at
/// once wait for each other.
pub(crate) struct TwoLocks {
    heap: Mutex<()>,
    list: Mutex<()>,
}

/// Nobody holds them.
pub(crate) static TWO_LOCKS: TwoLocks = TwoLocks { heap: Mutex::new(()), list: Mutex::new(()) };

/// Takes both, with time for another thread between them.
fn in_turn(layout: Layout, first: &Mutex<()>, second: &Mutex<()>) {
    if layout.size() > SPARED {
        let _first = lock(first);
        yield_now();
        let _second = lock(second);
    }
}

// SAFETY: the system's allocator, or no return.
unsafe impl GlobalAlloc for TwoLocks {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        in_turn(layout, &self.heap, &self.list);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        in_turn(layout, &self.list, &self.heap);
        // SAFETY: the caller keeps the contract of `dealloc`, and all blocks are the system's.
        unsafe { System.dealloc(block, layout) }
    }
}

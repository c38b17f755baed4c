//! The one heap, as a type without state that every worker can name.
#![expect(unsafe_code, reason = "an implementation of GlobalAlloc")]

use std::alloc::{GlobalAlloc, Layout, System};

use spinning_top::RawSpinlock;
use talc::TalcLock;
use talc::source::GlobalAllocSource;

/// Takes its memory from the system allocator, 1 MiB at least at a time, and gives each such piece back once nothing in it is used.
static HEAP: TalcLock<RawSpinlock, GlobalAllocSource<System>> = TalcLock::new(GlobalAllocSource::new(System));

/// The allocator of the one heap.
///
/// Like the crate's own type it has no `alloc_zeroed`: zeroed memory is taken and then written.
#[derive(Clone, Copy, Debug)]
pub struct Talc;

// SAFETY: every call goes to the one instance, with the arguments it came with, and what that returns is returned.
unsafe impl GlobalAlloc for Talc {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { HEAP.alloc(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { HEAP.dealloc(block, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { HEAP.realloc(block, layout, new_size) }
    }
}

//! The one heap, as a type without state that every worker can name.
#![expect(unsafe_code, reason = "an implementation of GlobalAlloc")]

use std::alloc::{GlobalAlloc, Layout};

use rlsf::GlobalTlsf;

/// Takes its memory from the kernel, 64 KiB at least at a time, and never gives any back.
static HEAP: GlobalTlsf = GlobalTlsf::new();

/// The allocator of the one heap.
///
/// Like the crate's own type it has no `alloc_zeroed`: zeroed memory is taken and then written.
#[derive(Clone, Copy, Debug)]
pub struct Tlsf;

// SAFETY: every call goes to the one instance, with the arguments it came with, and what that returns is returned.
unsafe impl GlobalAlloc for Tlsf {
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

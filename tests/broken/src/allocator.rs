//! The allocator of the worker: the system's, or the chosen faulty one.
#![expect(unsafe_code, reason = "an allocator is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};

use crate::choice::chosen;

/// Passes every call to the allocator with the chosen fault.
#[derive(Clone, Copy, Debug)]
pub struct Broken;

fn serving() -> &'static (dyn GlobalAlloc + Sync) {
    match chosen() {
        Some(fault) => fault.allocator,
        None => &System,
    }
}

// SAFETY: one allocator serves all calls, since the choice is made before the first block is taken. That a faulty one breaks
// the contract is what it is for.
unsafe impl GlobalAlloc for Broken {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { serving().alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { serving().alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { serving().dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { serving().realloc(block, layout, new_size) }
    }
}

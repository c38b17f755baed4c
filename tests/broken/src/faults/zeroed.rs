//! Zeroed memory that is not.

use std::alloc::{GlobalAlloc, Layout, System};

/// Clears some leading bytes of a block that was asked for zeroed, and leaves in the rest what its last owner left there.
pub(crate) struct ClearsOnly(
    /// How many.
    fn(Layout) -> usize,
);

/// Takes all memory for fresh.
pub(crate) static CLEARS_NOTHING: ClearsOnly = ClearsOnly(|_| 0);

/// Clears the first page.
pub(crate) static CLEARS_ONE_PAGE: ClearsOnly = ClearsOnly(|layout| layout.size().min(4096));

/// Clears whole words.
pub(crate) static CLEARS_WHOLE_WORDS: ClearsOnly = ClearsOnly(|layout| layout.size() & !7);

/// Clears blocks but for those of a strict alignment, which it takes another way.
pub(crate) static CLEARS_UNALIGNED: ClearsOnly =
    ClearsOnly(|layout| if layout.align() > 16 { 0 } else { layout.size() });

// SAFETY: the system's allocator; that zeroed memory is not breaks the contract on purpose.
unsafe impl GlobalAlloc for ClearsOnly {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`; at most the size of the block is written to it.
        unsafe {
            let block = System.alloc(layout);
            if !block.is_null() {
                block.write_bytes(0, (self.0)(layout));
            }
            block
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and all blocks are the system's.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`, and all blocks are the system's.
        unsafe { System.realloc(block, layout, new_size) }
    }
}

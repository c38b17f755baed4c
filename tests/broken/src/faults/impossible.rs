//! Sizes that no machine has room for.

use std::alloc::{GlobalAlloc, Layout, System};

/// From here on a size cannot be had: the address space of a process ends there, on the systems that this is built for.
pub(crate) const IMPOSSIBLE: usize = 1 << 47;

/// Does something else than to return null where a size is impossible.
pub(crate) struct OnImpossible {
    /// In the place of a fresh block.
    fresh: fn() -> *mut u8,
    /// In the place of a resized one, of this size before.
    resized: unsafe fn(*mut u8, usize) -> *mut u8,
}

impl OnImpossible {
    /// Does this instead.
    pub(crate) const fn fresh(fresh: fn() -> *mut u8) -> Self {
        Self { fresh, resized: |_, _| std::ptr::null_mut() }
    }

    /// Does this where a block is resized.
    pub(crate) const fn resized(resized: unsafe fn(*mut u8, usize) -> *mut u8) -> Self {
        Self { fresh: std::ptr::null_mut, resized }
    }
}

/// Frees the old block, of which a list takes the first two words, and returns null all the same. It is not given to anybody
/// else, so that what its owner does with it next ends nothing.
pub(crate) unsafe fn free_and_fail(block: *mut u8, size: usize) -> *mut u8 {
    let links = size.min(2 * size_of::<usize>());
    // SAFETY: the block has this size, by the contract of `realloc`. Its owner has a right to it still: that is the fault.
    unsafe { block.write_bytes(0xFD, links) };
    std::ptr::null_mut()
}

// SAFETY: the system's allocator, but for sizes that it would refuse.
unsafe impl GlobalAlloc for OnImpossible {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= IMPOSSIBLE {
            return (self.fresh)();
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= IMPOSSIBLE {
            return (self.fresh)();
        }
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and all blocks are the system's.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`, and the block has the size of its layout.
        unsafe {
            if new_size >= IMPOSSIBLE {
                return (self.resized)(block, layout.size());
            }
            System.realloc(block, layout, new_size)
        }
    }
}

/// Keeps sizes in 32 bits with a sign: one that comes out negative passes for a small one.
pub(crate) struct ThirtyTwoBits;

/// What a size becomes.
fn cut(size: usize) -> usize {
    let [low @ .., _, _, _, _] = size.to_le_bytes();
    usize::try_from(i32::from_le_bytes(low).max(1)).unwrap_or(1)
}

// SAFETY: every block is the system's and goes back to it, which does not look at sizes. That some are too short breaks the
// contract on purpose.
unsafe impl GlobalAlloc for ThirtyTwoBits {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = if layout.size() >= IMPOSSIBLE { cut(layout.size()) } else { layout.size() };
        // SAFETY: the size is not zero, and no more than that of the caller's layout.
        unsafe { System.alloc(Layout::from_size_align_unchecked(size, layout.align())) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block is the system's, which takes it back by its address.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`, and all blocks are the system's.
        unsafe { System.realloc(block, layout, new_size) }
    }
}

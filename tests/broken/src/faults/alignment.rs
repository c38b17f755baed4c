//! Alignments that are not kept, are refused, or cannot be given back.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;

use crate::parts::abort;

/// Keeps alignments but for some layouts, whose blocks lie behind an address that would do.
pub(crate) struct Misaligned {
    /// Whose alignment is not kept.
    falls_short: fn(Layout) -> bool,
    /// By how much the blocks miss it; less than the alignment.
    shift: usize,
    /// Which calls do it.
    calls: Calls,
}

struct Calls {
    fresh: bool,
    zeroed: bool,
    resized: bool,
}

const ALL: Calls = Calls { fresh: true, zeroed: true, resized: true };

/// Keeps alignments up to that of a cache line.
pub(crate) static ALIGNS_TO_64: Misaligned =
    Misaligned { falls_short: |layout| layout.align() > 64, shift: 64, calls: ALL };

/// Keeps alignments up to that of a page.
pub(crate) static ALIGNS_TO_PAGE: Misaligned =
    Misaligned { falls_short: |layout| layout.align() > 4096, shift: 4096, calls: ALL };

/// Keeps alignments, but for blocks that come from the kernel each time, behind a header.
pub(crate) static ALIGNS_LARGE_TO_16: Misaligned =
    Misaligned { falls_short: |layout| layout.align() > 16 && layout.size() >= 128 * 1024, shift: 16, calls: ALL };

/// Aligns a block that is smaller than its alignment as its size needs it.
pub(crate) static ALIGNS_BY_SIZE: Misaligned =
    Misaligned { falls_short: |layout| layout.align() == 16 && layout.size() < 16, shift: 8, calls: ALL };

/// Resizes with an alignment of 16, whatever was asked for.
pub(crate) static REALLOC_FORGETS_ALIGNMENT: Misaligned = Misaligned {
    falls_short: |layout| layout.align() > 16,
    shift: 16,
    calls: Calls { fresh: false, zeroed: false, resized: true },
};

/// Takes zeroed memory with an alignment of 16, whatever was asked for.
pub(crate) static ZEROED_FORGETS_ALIGNMENT: Misaligned = Misaligned {
    falls_short: |layout| layout.align() > 16,
    shift: 16,
    calls: Calls { fresh: false, zeroed: true, resized: false },
};

impl Misaligned {
    /// Takes a block that is misaligned where it applies.
    ///
    /// # Safety
    /// As of `obtain`, which must be a method of the system's that takes a block.
    unsafe fn take(&self, layout: Layout, is_faulty: bool, obtain: Obtain) -> *mut u8 {
        if !is_faulty || !(self.falls_short)(layout) {
            // SAFETY: by the contract of this function.
            return unsafe { obtain(&System, layout) };
        }
        let Ok(longer) = Layout::from_size_align(layout.size().saturating_add(self.shift), layout.align()) else {
            return ptr::null_mut();
        };
        // SAFETY: the size is not zero, as that of `layout` is not.
        let base = unsafe { obtain(&System, longer) };
        if base.is_null() { base } else { base.wrapping_add(self.shift) }
    }

    /// Whether a block is misaligned: it does not begin where its memory does.
    fn is_shifted(&self, block: *const u8, layout: Layout) -> bool {
        (self.falls_short)(layout) && block.addr() % layout.align() == self.shift
    }
}

type Obtain = unsafe fn(&System, Layout) -> *mut u8;

// SAFETY: every block is as long as it should be, comes from the system, and goes back to it by the address and layout that it was
// taken with: the shift is less than the alignment, so that the address tells. Only the alignment is broken.
unsafe impl GlobalAlloc for Misaligned {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { self.take(layout, self.calls.fresh, System::alloc) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { self.take(layout, self.calls.zeroed, System::alloc_zeroed) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if self.is_shifted(block, layout) {
            let (base, size) = (block.wrapping_sub(self.shift), layout.size() + self.shift);
            // SAFETY: the block was taken at this base with this size, which made a layout then.
            unsafe { System.dealloc(base, Layout::from_size_align_unchecked(size, layout.align())) }
        } else {
            // SAFETY: the block came from the system as it is.
            unsafe { System.dealloc(block, layout) }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`, by which this is a layout; both blocks are live and as long as the
        // bytes copied, and the old one goes back once, if it has been replaced.
        unsafe {
            let new_layout = Layout::from_size_align_unchecked(new_size, layout.align());
            if !(self.falls_short)(layout) && !(self.falls_short)(new_layout) {
                return System.realloc(block, layout, new_size);
            }
            let new = self.take(new_layout, self.calls.resized, System::alloc);
            if !new.is_null() {
                ptr::copy_nonoverlapping(block, new, layout.size().min(new_size));
                self.dealloc(block, layout);
            }
            new
        }
    }
}

/// Refuses alignments that do not fit its spans.
pub(crate) struct RefusesAlignment;

// SAFETY: the system's allocator, or no memory.
unsafe impl GlobalAlloc for RefusesAlignment {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() >= 64 * 1024 {
            return ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and all blocks are the system's.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Takes blocks of a strict alignment, and does not know them when they come back.
pub(crate) struct AbortsOnAlignedFree;

// SAFETY: the system's allocator; it ends the program rather than give back some blocks.
unsafe impl GlobalAlloc for AbortsOnAlignedFree {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if layout.align() >= 2 * 1024 * 1024 {
            abort();
        }
        // SAFETY: the caller keeps the contract of `dealloc`, and all blocks are the system's.
        unsafe { System.dealloc(block, layout) }
    }
}

//! Live blocks that share bytes, or lose some to each other.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::parts::{ALIGNMENT, PAGE, Pooled, lock, map};

/// Puts every sixteenth freed block into its cache twice, so that two owners get it.
pub(crate) static CACHES_TWICE: Pooled = Pooled::new(1025..=1280, 1280).giving(|pool, block| {
    static FREED: AtomicUsize = AtomicUsize::new(0);
    pool.give(block);
    if FREED.fetch_add(1, Ordering::Relaxed) % 16 == 15 {
        pool.give(block);
    }
});

/// Gives the pages of a freed block to the kernel, and one more: the first of the neighbour.
pub(crate) static DISCARDS_ONE_PAGE_MORE: Pooled =
    Pooled::new(16 * 1024 + 1..=32 * 1024, 32 * 1024).giving(|pool, block| {
        pool.give(block);
        // SAFETY: the range begins in the pool's mapping; where it ends behind it, the kernel refuses. That the page behind the
        // block may hold somebody's data is the fault.
        unsafe { libc::madvise(block.cast(), pool.slot_size() + PAGE, libc::MADV_DONTNEED) };
    });

/// Cuts blocks of some KiB off a large one, and every eighth of them sixteen bytes before the last one's end. What was cut is never
/// used again; when all is, the system serves.
pub(crate) struct SplitsTooEarly {
    start: AtomicPtr<u8>,
    state: Mutex<Split>,
}

struct Split {
    /// Bytes that were cut off.
    used: usize,
    /// How often.
    cuts: usize,
}

/// Nothing is cut off yet.
pub(crate) static SPLITS_TOO_EARLY: SplitsTooEarly =
    SplitsTooEarly { start: AtomicPtr::new(ptr::null_mut()), state: Mutex::new(Split { used: 0, cuts: 0 }) };

impl SplitsTooEarly {
    /// The size of the large block.
    const WHOLE: usize = 256 * 1024 * 1024;

    fn cut(&self, size: usize) -> Option<*mut u8> {
        let mut split = lock(&self.state);
        if self.start.load(Ordering::Relaxed).is_null() {
            self.start.store(map(Self::WHOLE), Ordering::Release);
        }
        let start = self.start.load(Ordering::Relaxed);
        split.cuts += 1;
        let early = if split.cuts.is_multiple_of(8) { ALIGNMENT } else { 0 };
        let from = split.used - early;
        let end = from + size.next_multiple_of(ALIGNMENT);
        if start.is_null() || end > Self::WHOLE {
            return None;
        }
        split.used = end;
        Some(start.wrapping_add(from))
    }

    fn contains(&self, block: *const u8) -> bool {
        let start = self.start.load(Ordering::Acquire);
        !start.is_null() && block.addr().checked_sub(start.addr()).is_some_and(|offset| offset < Self::WHOLE)
    }
}

// SAFETY: a block is a part of the large one or the system's, and its address tells which. That parts overlap breaks the contract
// on purpose.
unsafe impl GlobalAlloc for SplitsTooEarly {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let is_cut = (2 * 1024..=32 * 1024).contains(&layout.size()) && layout.align() <= ALIGNMENT;
        // SAFETY: the caller keeps the contract of `alloc`.
        is_cut.then(|| self.cut(layout.size())).flatten().unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if !self.contains(block) {
            // SAFETY: what was not cut off came from the system, with this layout.
            unsafe { System.dealloc(block, layout) }
        }
    }
}

//! A cache of large blocks that are taken for fresh.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::parts::lock;

/// Keeps the large block that was freed last for the next one of the same layout, zeroed or not: it was fresh from the kernel
/// once, and is still marked as such.
pub(crate) struct CachesLarge {
    cached: Mutex<Option<(AtomicPtr<u8>, Layout)>>,
}

/// From this size on a block is large.
const LARGE: usize = 256 * 1024;

/// With an empty cache.
pub(crate) static TAKES_CACHED_FOR_FRESH: CachesLarge = CachesLarge { cached: Mutex::new(None) };

impl CachesLarge {
    fn cached(&self, layout: Layout) -> Option<*mut u8> {
        let block = lock(&self.cached).take_if(|(_, cached)| *cached == layout);
        block.map(|(block, _)| block.load(Ordering::Relaxed))
    }
}

// SAFETY: blocks are the system's; one in the cache is nobody's until it is handed out again with the layout that it was taken
// with. That zeroed memory is not breaks the contract on purpose.
unsafe impl GlobalAlloc for CachesLarge {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        self.cached(layout).unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        self.cached(layout).unwrap_or_else(|| unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let mut go = Some((AtomicPtr::new(block), layout));
        if layout.size() >= LARGE {
            std::mem::swap(&mut *lock(&self.cached), &mut go);
        }
        if let Some((block, layout)) = go {
            // SAFETY: the block came from the system with this layout; it is not in the cache any more, or never was.
            unsafe { System.dealloc(block.into_inner(), layout) }
        }
    }
}

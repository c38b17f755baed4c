//! The system allocator, with sizes of one range from a pool.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::RangeInclusive;

use super::{ALIGNMENT, Pool};

/// Serves blocks of some sizes from the slots of a pool, whether they fit or not, and all others from the system.
pub(crate) struct Pooled {
    pub(crate) pool: Pool,
    sizes: RangeInclusive<usize>,
    /// Done with a slot when it is taken.
    taken: fn(&Pool, *mut u8),
    /// Gives a slot back.
    give: fn(&Pool, *mut u8),
}

impl Pooled {
    /// Sizes of this range in slots of this size, without a fault unless they do not fit.
    pub(crate) const fn new(sizes: RangeInclusive<usize>, slot_size: usize) -> Self {
        Self { pool: Pool::new(slot_size), sizes, taken: |_, _| {}, give: Pool::give }
    }

    /// The same, where this is done with every slot that is taken.
    pub(crate) const fn taking(self, taken: fn(&Pool, *mut u8)) -> Self {
        Self { taken, ..self }
    }

    /// The same, where slots are given back like this.
    pub(crate) const fn giving(self, give: fn(&Pool, *mut u8)) -> Self {
        Self { give, ..self }
    }
}

// SAFETY: a slot is given to one owner until it comes back, unless it is the fault that it is not; what the pool cannot serve
// comes from the system, and an address tells where its block goes back to. Resizing is left to the trait, which takes a block,
// copies and gives one back.
unsafe impl GlobalAlloc for Pooled {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if self.sizes.contains(&layout.size()) && layout.align() <= ALIGNMENT {
            let block = self.pool.take();
            if !block.is_null() {
                (self.taken)(&self.pool, block);
                return block;
            }
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if self.pool.number(block).is_some() {
            (self.give)(&self.pool, block);
        } else {
            // SAFETY: what is not the pool's came from the system, with this layout.
            unsafe { System.dealloc(block, layout) }
        }
    }
}

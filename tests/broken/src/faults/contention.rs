//! A free list that several threads may change at once.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::parts::{ALIGNMENT, Pool, SPARED, yield_now};

/// Keeps freed slots on a stack without a lock: a thread that takes one reads the top, and lowers it later. Two that do so at once
/// take the same slot. Alone, it is sound.
pub(crate) struct UnlockedStack {
    /// Where fresh slots come from.
    pool: Pool,
    free: [AtomicUsize; Pool::SLOTS],
    top: AtomicUsize,
    /// Threads between reading the top and lowering it.
    between: AtomicUsize,
}

/// Nothing is freed yet.
pub(crate) static UNLOCKED_STACK: UnlockedStack = UnlockedStack {
    pool: Pool::new(2048),
    free: [const { AtomicUsize::new(0) }; Pool::SLOTS],
    top: AtomicUsize::new(0),
    between: AtomicUsize::new(0),
};

impl UnlockedStack {
    fn pop(&self) -> Option<usize> {
        let top = self.top.load(Ordering::Relaxed).checked_sub(1)?;
        self.wait_for_another();
        self.top.store(top, Ordering::Relaxed);
        Some(self.free[top].load(Ordering::Relaxed))
    }

    /// Gives another thread the chance to read the same top, so that the fault shows in each run, and not once a month.
    fn wait_for_another(&self) {
        self.between.fetch_add(1, Ordering::Relaxed);
        for _ in 0..4 {
            if self.between.load(Ordering::Relaxed) > 1 {
                break;
            }
            yield_now();
        }
        self.between.fetch_sub(1, Ordering::Relaxed);
    }

    fn push(&self, slot: usize) {
        let top = self.top.load(Ordering::Relaxed);
        // A slot that was handed out twice comes back twice, so that there can be more than there is room for.
        if let Some(place) = self.free.get(top) {
            place.store(slot, Ordering::Relaxed);
            self.top.store(top + 1, Ordering::Relaxed);
        }
    }
}

// SAFETY: a block is a slot of the pool or the system's, and its address tells which. The stack holds numbers of slots, whoever
// changes it. That one slot is handed out twice breaks the contract on purpose.
unsafe impl GlobalAlloc for UnlockedStack {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if (SPARED + 1..=self.pool.slot_size()).contains(&layout.size()) && layout.align() <= ALIGNMENT {
            let block = self.pop().map_or_else(|| self.pool.take(), |slot| self.pool.slot(slot));
            if !block.is_null() {
                return block;
            }
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match self.pool.number(block) {
            Some(slot) => self.push(slot),
            // SAFETY: what is not the pool's came from the system, with this layout.
            None => unsafe { System.dealloc(block, layout) },
        }
    }
}

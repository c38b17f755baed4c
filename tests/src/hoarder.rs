//! An allocator that needs much memory for little.
#![expect(unsafe_code, reason = "an allocator is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::boxes::UNIT_BLOCK;

/// How much it takes and keeps with every block of a unit of [`Boxes`](crate::Boxes).
const HOARD: usize = 16 << 20;

/// How much it keeps at most, so that nothing of the machine is at stake where nobody stops it.
const MOST: usize = 512 << 20;

/// Allocates from the system, and with each block of a unit takes memory that it writes to and never gives back.
#[derive(Debug)]
pub struct Hoarder {
    hoarded: AtomicUsize,
}

impl Hoarder {
    /// One that has nothing yet.
    #[expect(clippy::new_without_default, reason = "it is the value of a static")]
    pub const fn new() -> Self {
        Self { hoarded: AtomicUsize::new(0) }
    }

    fn hoard(&self) {
        if self.hoarded.fetch_add(HOARD, Ordering::Relaxed) >= MOST {
            return;
        }
        let layout = Layout::new::<[u8; HOARD]>();
        // SAFETY: the size is above zero, and what is written lies within a block that was obtained.
        unsafe {
            let block = System.alloc(layout);
            if !block.is_null() {
                block.write_bytes(1, HOARD);
                // Nobody reads it, which is no reason to leave it out.
                std::hint::black_box(block);
            }
        }
    }
}

// SAFETY: memory comes from `System` and goes back to it with the same layout; what is hoarded is nobody else's.
unsafe impl GlobalAlloc for Hoarder {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() == UNIT_BLOCK {
            self.hoard();
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from `System` with this layout.
        unsafe { System.dealloc(block, layout) }
    }
}

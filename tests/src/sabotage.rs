//! The system allocator with a fault built in.
#![expect(unsafe_code, reason = "an allocator is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::boxes::{KEEPSAKE, UNIT_BLOCK};

/// When the fault happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// At the first allocation of the process, before `main`.
    FirstAllocation,
    /// In the middle of the work: at the third block that a unit of [`Boxes`](crate::Boxes) takes.
    Work,
    /// When the lanes are dropped, at the block that each of them keeps.
    Drop,
}

/// Allocates from the system, until the moment has come.
#[derive(Debug)]
pub struct Sabotaged {
    moment: Moment,
    fault: fn(),
    unit_blocks: AtomicU32,
}

impl Sabotaged {
    /// An allocator that does `fault` at this moment.
    pub const fn at(moment: Moment, fault: fn()) -> Self {
        Self { moment, fault, unit_blocks: AtomicU32::new(0) }
    }
}

// SAFETY: memory comes from `System` and goes back to it with the same layout; what happens besides does not return a
// block, or does not return at all.
unsafe impl GlobalAlloc for Sabotaged {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let is_due = match self.moment {
            Moment::FirstAllocation => true,
            Moment::Work => layout.size() == UNIT_BLOCK && self.unit_blocks.fetch_add(1, Ordering::Relaxed) == 2,
            Moment::Drop => false,
        };
        if is_due {
            (self.fault)();
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if self.moment == Moment::Drop && layout.size() == KEEPSAKE {
            (self.fault)();
        }
        // SAFETY: the block came from `System` with this layout.
        unsafe { System.dealloc(block, layout) }
    }
}

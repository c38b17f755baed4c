//! The first unit of every lane, one lane after another.
//!
//! A service meets its first requests one by one, while lanes are released together. That would let a race in the first
//! milliseconds decide what a process does for the rest of its life: glibc raises its thresholds for mapping and trimming
//! when the first large block is freed (`M_MMAP_THRESHOLD` in mallopt(3)), and where one thread's heap has grown by then
//! decides whether each later request gives its memory back to the kernel. Two copies of one program would differ.

use std::sync::{Condvar, Mutex, PoisonError};

use heapmark_worker::{Lane, Turn};

use crate::lock::locked;

/// Lets the lanes of a job pass in their order.
#[derive(Default)]
pub(super) struct Turnstile {
    passed: Mutex<usize>,
    next: Condvar,
}

impl Turnstile {
    /// Has a new lane do one unit once all lanes before it have; its tally is nobody's.
    pub(super) fn pass<L: Lane>(&self, index: usize, mut lane: L) -> L {
        let mut passed = locked(&self.passed);
        while *passed != index {
            passed = self.next.wait(passed).unwrap_or_else(PoisonError::into_inner);
        }
        lane.turn(&Turn { units: 1, lanes: 1, lane: 0 });
        *passed += 1;
        self.next.notify_all();
        lane
    }
}

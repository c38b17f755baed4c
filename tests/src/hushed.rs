//! An allocator that cannot bear to be called while its program rests.
#![expect(unsafe_code, reason = "an allocator is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU8, Ordering};

use heapmark_worker::{About, Job, Lane, Setup, Tally, Turn, Workload};

/// What may be asked of the allocator now.
static ALLOWED: AtomicU8 = AtomicU8::new(ANYTHING);

/// The program works.
const ANYTHING: u8 = 2;
/// Everything was dropped: what is still there is given back when the program ends, and a probe would take something first.
const GIVING_BACK: u8 = 1;
/// The program rests between two turns.
const NOTHING: u8 = 0;

/// Allocates from the system, and aborts where it is called at rest.
#[derive(Clone, Copy, Debug)]
pub struct Hushed;

impl Hushed {
    fn needs(least: u8) {
        if ALLOWED.load(Ordering::Relaxed) < least {
            std::process::abort();
        }
    }
}

// SAFETY: memory comes from `System` and goes back to it with the same layout.
unsafe impl GlobalAlloc for Hushed {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::needs(ANYTHING);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        Self::needs(GIVING_BACK);
        // SAFETY: the block came from `System` with this layout.
        unsafe { System.dealloc(block, layout) }
    }
}

/// A workload that says when the program rests: between its turns, and once everything was dropped.
#[derive(Clone, Copy, Debug)]
pub struct Rests;

static ABOUT: About = About {
    name: "test/rests",
    summary: "takes a block, and rests between the turns",
    unit: "block",
    details: "For tests of the memory probes.",
    parameters: &[],
};

impl Workload for Rests {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, _: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        Ok(Box::new(RestingJob))
    }
}

struct RestingJob;

impl Job for RestingJob {
    fn lanes(&self) -> usize {
        1
    }

    fn lane(&self, _: usize) -> Box<dyn Lane + '_> {
        Box::new(RestingLane { kept: vec![1; 1000] })
    }
}

impl Drop for RestingJob {
    fn drop(&mut self) {
        ALLOWED.store(GIVING_BACK, Ordering::Relaxed);
    }
}

struct RestingLane {
    kept: Vec<u8>,
}

impl Lane for RestingLane {
    fn turn(&mut self, turn: &Turn) -> Tally {
        ALLOWED.store(ANYTHING, Ordering::Relaxed);
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            self.kept = std::hint::black_box(vec![1; 1000]);
            tally.add(self.kept.len() as u64);
        }
        ALLOWED.store(NOTHING, Ordering::Relaxed);
        tally
    }
}

impl Drop for RestingLane {
    fn drop(&mut self) {
        ALLOWED.store(ANYTHING, Ordering::Relaxed);
    }
}

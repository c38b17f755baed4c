//! Blocks whose thread is gone when they are freed.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::parts::{ALIGNMENT, SPARED, at_thread_exit, is_main_thread, tag, take_tagged, untagged};

/// Leaves a freed block to its thread, whether or not that is still there to use it again.
pub(crate) struct LosesOrphans {
    /// Which threads are gone, by their numbers.
    gone: [AtomicBool; LosesOrphans::THREADS],
    threads: AtomicUsize,
}

/// All are there.
pub(crate) static LOSES_ORPHANS: LosesOrphans =
    LosesOrphans { gone: [const { AtomicBool::new(false) }; LosesOrphans::THREADS], threads: AtomicUsize::new(0) };

thread_local! {
    /// The number of this thread, from 1; 0 before its first block.
    static NUMBER: Cell<usize> = const { Cell::new(0) };
}

extern "C" fn leave(_: *mut c_void) {
    if let Some(gone) = LOSES_ORPHANS.gone.get(NUMBER.get()) {
        gone.store(true, Ordering::Relaxed);
    }
}

fn is_owned(layout: Layout) -> bool {
    layout.size() > SPARED && layout.align() <= ALIGNMENT
}

impl LosesOrphans {
    /// So many threads have a number; blocks of the others are not lost.
    const THREADS: usize = 64 * 1024;

    fn this_thread(&self) -> usize {
        if NUMBER.get() == 0 {
            NUMBER.set(self.threads.fetch_add(1, Ordering::Relaxed) + 1);
            if !is_main_thread() {
                at_thread_exit(leave);
            }
        }
        NUMBER.get()
    }

    fn is_gone(&self, thread: usize) -> bool {
        self.gone.get(thread).is_some_and(|gone| gone.load(Ordering::Relaxed))
    }
}

// SAFETY: blocks come from the system, behind a tag or not as their layout tells, and go back the same way or never.
unsafe impl GlobalAlloc for LosesOrphans {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_owned(layout) {
            return take_tagged(layout, self.this_thread());
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the layout tells where the block came from, and it goes back there once.
        unsafe {
            if !is_owned(layout) {
                System.dealloc(block, layout);
            } else if !self.is_gone(tag(block)) {
                untagged(block, layout);
            }
        }
    }
}

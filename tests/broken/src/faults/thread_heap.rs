//! Heaps of threads that do not survive them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use crate::parts::{ALIGNMENT, Pool, SPARED, at_thread_exit, is_main_thread, lock, tag, take_tagged, untagged};

/// The largest block that comes from the heap of a thread.
const LARGEST: usize = 2048;

fn is_from_heap(layout: Layout) -> bool {
    (SPARED + 1..=LARGEST).contains(&layout.size()) && layout.align() <= ALIGNMENT
}

/// Cuts blocks off a region of each thread's own, and disposes of the region when the thread ends, whatever lives there.
pub(crate) struct ThreadRegions {
    regions: Pool,
    dispose: extern "C" fn(*mut c_void),
}

/// The size of a region.
const REGION: usize = 256 * 1024;

/// Unmaps regions.
pub(crate) static UNMAPS_REGION: ThreadRegions = ThreadRegions { regions: Pool::new(REGION), dispose: unmap_region };

/// Gives regions to threads that start.
pub(crate) static PASSES_REGION_ON: ThreadRegions =
    ThreadRegions { regions: Pool::new(REGION), dispose: pass_region_on };

thread_local! {
    /// The region of this thread, or null, and how much of it is cut off.
    static OWN: Cell<(*mut u8, usize)> = const { Cell::new((ptr::null_mut(), 0)) };
}

/// Takes all access from the region of this thread: what unmapping does, except that nobody else can be given its addresses.
extern "C" fn unmap_region(_: *mut c_void) {
    let (region, _) = OWN.replace((ptr::null_mut(), 0));
    // SAFETY: the region lies in the pool's mapping. That blocks in it may be alive is the fault.
    unsafe { libc::mprotect(region.cast(), REGION, libc::PROT_NONE) };
}

extern "C" fn pass_region_on(_: *mut c_void) {
    let (region, _) = OWN.replace((ptr::null_mut(), 0));
    PASSES_REGION_ON.regions.give(region);
}

impl ThreadRegions {
    fn cut(&self, size: usize) -> Option<*mut u8> {
        let (mut region, used) = OWN.get();
        if region.is_null() {
            region = self.regions.take();
            if region.is_null() {
                return None;
            }
            OWN.set((region, 0));
            at_thread_exit(self.dispose);
        }
        let end = used + size.next_multiple_of(ALIGNMENT);
        (end <= REGION).then(|| {
            OWN.set((region, end));
            region.wrapping_add(used)
        })
    }
}

// SAFETY: a block is a part of a region or the system's, and its address tells which; parts are never used again as long as their
// thread lives. That they go with it breaks the contract on purpose.
unsafe impl GlobalAlloc for ThreadRegions {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let part = (is_from_heap(layout) && !is_main_thread()).then(|| self.cut(layout.size())).flatten();
        // SAFETY: the caller keeps the contract of `alloc`.
        part.unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if self.regions.number(block).is_none() {
            // SAFETY: what lies in no region came from the system, with this layout.
            unsafe { System.dealloc(block, layout) }
        }
    }
}

/// Lets no thread end before all of its blocks are back.
pub(crate) struct WaitsForBlocks {
    /// Live blocks by the number of their thread.
    live: Mutex<[usize; WaitsForBlocks::THREADS]>,
    /// A block is back.
    freed: Condvar,
    /// Threads so far.
    threads: AtomicUsize,
}

/// No thread has a block.
pub(crate) static WAITS_FOR_BLOCKS: WaitsForBlocks = WaitsForBlocks {
    live: Mutex::new([0; WaitsForBlocks::THREADS]),
    freed: Condvar::new(),
    threads: AtomicUsize::new(0),
};

thread_local! {
    /// The number of this thread, from 1; 0 before its first block.
    static NUMBER: Cell<usize> = const { Cell::new(0) };
}

extern "C" fn wait_for_blocks(_: *mut c_void) {
    let WaitsForBlocks { live, freed, .. } = &WAITS_FOR_BLOCKS;
    // Whatever comes of the wait, the thread has no more to do.
    drop(freed.wait_while(lock(live), |live| live[NUMBER.get() % WaitsForBlocks::THREADS] > 0));
}

impl WaitsForBlocks {
    /// Enough for threads that live at the same time; the numbers of others may coincide.
    const THREADS: usize = 4096;

    fn this_thread(&self) -> usize {
        if NUMBER.get() == 0 {
            NUMBER.set(self.threads.fetch_add(1, Ordering::Relaxed) + 1);
            if !is_main_thread() {
                at_thread_exit(wait_for_blocks);
            }
        }
        NUMBER.get()
    }
}

// SAFETY: blocks come from the system, behind a tag or not as their layout tells, and go back the same way.
unsafe impl GlobalAlloc for WaitsForBlocks {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_from_heap(layout) {
            let thread = self.this_thread();
            lock(&self.live)[thread % Self::THREADS] += 1;
            return take_tagged(layout, thread);
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the layout tells where the block came from, and it goes back there once.
        unsafe {
            if is_from_heap(layout) {
                lock(&self.live)[tag(block) % Self::THREADS] -= 1;
                self.freed.notify_all();
                untagged(block, layout);
            } else {
                System.dealloc(block, layout);
            }
        }
    }
}

//! An allocator that counts exactly what is asked of another.
#![expect(unsafe_code, reason = "an implementation of GlobalAlloc")]

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicU64, Ordering};

use heapmark_worker::Counters;

/// Hands every call to `A`, and counts those that succeed.
///
/// A block is live for the program from the return of the call that obtained it to the call that gives it back, and that is
/// what is counted: live bytes rise after a block was obtained and fall before it is given back, so that memory which `A`
/// passes from one thread to another is never counted twice. Every change of the live bytes is one atomic addition, and the
/// values that those return are all that there ever were: the peak over them is exact, whatever the threads do.
#[derive(Debug)]
pub struct Counted<A> {
    inner: A,
    calls: AtomicU64,
    requested: AtomicU64,
    live: AtomicU64,
    peak_live: AtomicU64,
}

// Each counter is exact on its own, and they are read together only while nobody allocates: no order is needed.
impl<A> Counted<A> {
    /// Counts what is asked of `inner`, from zero.
    pub const fn new(inner: A) -> Self {
        Self {
            inner,
            calls: AtomicU64::new(0),
            requested: AtomicU64::new(0),
            live: AtomicU64::new(0),
            peak_live: AtomicU64::new(0),
        }
    }

    /// The counters. They belong together only while no other thread allocates.
    pub fn counters(&self) -> Counters {
        Counters {
            calls: self.calls.load(Ordering::Relaxed),
            requested: self.requested.load(Ordering::Relaxed),
            peak_live: self.peak_live.load(Ordering::Relaxed),
        }
    }

    /// Bytes that are live now.
    pub fn live(&self) -> u64 {
        self.live.load(Ordering::Relaxed)
    }

    /// Makes the peak start again from what is live now. Meant for moments when no other thread allocates.
    pub fn reset_peak(&self) {
        self.peak_live.store(self.live(), Ordering::Relaxed);
    }

    /// Counts a call that returned `block`: `size` bytes, of which `released` were live before.
    fn count(&self, block: *mut u8, size: usize, released: usize) {
        if block.is_null() {
            return;
        }
        let (size, released) = (size as u64, released as u64);
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.requested.fetch_add(size, Ordering::Relaxed);
        let change = size.wrapping_sub(released);
        let live = self.live.fetch_add(change, Ordering::Relaxed).wrapping_add(change);
        // Most calls do not raise the peak, and a load is all that they then cost.
        if live > self.peak_live.load(Ordering::Relaxed) {
            self.peak_live.fetch_max(live, Ordering::Relaxed);
        }
    }
}

// SAFETY: every call is handed to an allocator that keeps the contract, with the arguments it came with, and what that
// returns is returned; counting allocates nothing and does not panic.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counted<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        let block = unsafe { self.inner.alloc(layout) };
        self.count(block, layout.size(), 0);
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.live.fetch_sub(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { self.inner.dealloc(block, layout) };
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        let block = unsafe { self.inner.alloc_zeroed(layout) };
        self.count(block, layout.size(), 0);
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`.
        let moved = unsafe { self.inner.realloc(block, layout, new_size) };
        self.count(moved, new_size, layout.size());
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::alloc::System;
    use std::sync::Barrier;
    use std::sync::atomic::AtomicBool;

    /// The system allocator, out of memory at will.
    #[derive(Default)]
    struct Exhaustible(AtomicBool);

    impl Exhaustible {
        fn unless_exhausted(&self, call: impl FnOnce() -> *mut u8) -> *mut u8 {
            if self.0.load(Ordering::Relaxed) { std::ptr::null_mut() } else { call() }
        }
    }

    // SAFETY: every call goes to the system allocator as it came, or returns null, which any may.
    unsafe impl GlobalAlloc for Exhaustible {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            // SAFETY: as the caller promises.
            self.unless_exhausted(|| unsafe { System.alloc(layout) })
        }
        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            // SAFETY: as the caller promises.
            unsafe { System.dealloc(block, layout) }
        }
        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            // SAFETY: as the caller promises.
            self.unless_exhausted(|| unsafe { System.alloc_zeroed(layout) })
        }
        unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
            // SAFETY: as the caller promises.
            self.unless_exhausted(|| unsafe { System.realloc(block, layout, new_size) })
        }
    }

    /// A live block, and the allocator it came from.
    struct Block<'a> {
        from: &'a Counted<Exhaustible>,
        start: *mut u8,
        layout: Layout,
    }

    impl<'a> Block<'a> {
        fn take(from: &'a Counted<Exhaustible>, size: usize) -> Option<Self> {
            let layout = Layout::from_size_align(size, 8).unwrap();
            // SAFETY: the tests ask for sizes above zero.
            let start = unsafe { from.alloc(layout) };
            (!start.is_null()).then(|| Self { from, start, layout })
        }

        fn take_zeroed(from: &'a Counted<Exhaustible>, size: usize) -> Option<Self> {
            let layout = Layout::from_size_align(size, 8).unwrap();
            // SAFETY: the tests ask for sizes above zero.
            let start = unsafe { from.alloc_zeroed(layout) };
            (!start.is_null()).then(|| Self { from, start, layout })
        }

        /// Whether it could be resized; it is what it was where not.
        fn resize(&mut self, size: usize) -> bool {
            // SAFETY: the block is live, of that layout, and the size is above zero.
            let start = unsafe { self.from.realloc(self.start, self.layout, size) };
            if start.is_null() {
                return false;
            }
            self.start = start;
            self.layout = Layout::from_size_align(size, 8).unwrap();
            true
        }

        fn bytes(&mut self) -> &mut [u8] {
            // SAFETY: the block is live, of that size, and this is the only reference to it; the tests read what was written.
            unsafe { std::slice::from_raw_parts_mut(self.start, self.layout.size()) }
        }
    }

    impl Drop for Block<'_> {
        fn drop(&mut self) {
            // SAFETY: the block is live, of that layout, and gone after this.
            unsafe { self.from.dealloc(self.start, self.layout) }
        }
    }

    fn counters(calls: u64, requested: u64, peak_live: u64) -> Counters {
        Counters { calls, requested, peak_live }
    }

    #[test]
    fn every_call_is_counted_with_its_bytes() {
        let counted = Counted::new(Exhaustible::default());
        assert_eq!(counted.counters(), Counters::default());
        let first = Block::take(&counted, 100);
        assert_eq!((counted.counters(), counted.live()), (counters(1, 100, 100), 100));
        let mut second = Block::take_zeroed(&counted, 50).unwrap();
        assert!(second.bytes().iter().all(|byte| *byte == 0));
        assert_eq!((counted.counters(), counted.live()), (counters(2, 150, 150), 150));
        drop(first);
        assert_eq!((counted.counters(), counted.live()), (counters(3, 150, 150), 50));
        drop(second);
        assert_eq!((counted.counters(), counted.live()), (counters(4, 150, 150), 0));
    }

    #[test]
    fn a_resized_block_counts_with_its_new_size_and_replaces_the_old() {
        let counted = Counted::new(Exhaustible::default());
        let mut block = Block::take(&counted, 100).unwrap();
        block.bytes().fill(7);
        assert!(block.resize(10_000));
        assert!(block.bytes()[..100].iter().all(|byte| *byte == 7));
        assert_eq!((counted.counters(), counted.live()), (counters(2, 10_100, 10_000), 10_000));
        assert!(block.resize(10));
        assert!(block.bytes().iter().all(|byte| *byte == 7));
        assert_eq!((counted.counters(), counted.live()), (counters(3, 10_110, 10_000), 10));
        assert!(block.resize(10));
        assert_eq!((counted.counters(), counted.live()), (counters(4, 10_120, 10_000), 10));
        drop(block);
        assert_eq!((counted.counters(), counted.live()), (counters(5, 10_120, 10_000), 0));
    }

    #[test]
    fn what_fails_does_not_count() {
        let counted = Counted::new(Exhaustible::default());
        let mut block = Block::take(&counted, 100).unwrap();
        block.bytes().fill(7);
        let before = (counted.counters(), counted.live());
        counted.inner.0.store(true, Ordering::Relaxed);
        assert!(Block::take(&counted, 1).is_none());
        assert!(Block::take_zeroed(&counted, 1).is_none());
        assert!(!block.resize(1_000_000));
        assert!(!block.resize(1));
        assert_eq!((counted.counters(), counted.live()), before);
        assert!(block.bytes().iter().all(|byte| *byte == 7), "the block is what it was");
        drop(block);
        assert_eq!((counted.counters(), counted.live()), (counters(2, 100, 100), 0));
    }

    /// Says which of its methods was called last.
    #[derive(Default)]
    struct Telltale(AtomicU64);

    impl Telltale {
        const ALLOC: u64 = 1;
        const DEALLOC: u64 = 2;
        const ALLOC_ZEROED: u64 = 3;
        const REALLOC: u64 = 4;

        fn tell(&self, method: u64) {
            self.0.store(self.0.load(Ordering::Relaxed) * 10 + method, Ordering::Relaxed);
        }

        /// The methods called since it was last asked, a digit for each.
        fn told(&self) -> u64 {
            self.0.swap(0, Ordering::Relaxed)
        }
    }

    // SAFETY: every call goes to the system allocator as it came.
    unsafe impl GlobalAlloc for Telltale {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            self.tell(Self::ALLOC);
            // SAFETY: as the caller promises.
            unsafe { System.alloc(layout) }
        }
        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            self.tell(Self::DEALLOC);
            // SAFETY: as the caller promises.
            unsafe { System.dealloc(block, layout) }
        }
        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            self.tell(Self::ALLOC_ZEROED);
            // SAFETY: as the caller promises.
            unsafe { System.alloc_zeroed(layout) }
        }
        unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
            self.tell(Self::REALLOC);
            // SAFETY: as the caller promises.
            unsafe { System.realloc(block, layout, new_size) }
        }
    }

    #[test]
    fn every_method_calls_its_namesake_and_no_other() {
        let counted = Counted::new(Telltale::default());
        let layout = Layout::from_size_align(100, 8).unwrap();
        // SAFETY: the sizes are above zero, and each block is resized and given back with the layout that it has then.
        unsafe {
            let block = counted.alloc(layout);
            assert_eq!(counted.inner.told(), Telltale::ALLOC);
            let block = counted.realloc(block, layout, 200);
            assert_eq!(counted.inner.told(), Telltale::REALLOC, "not alloc, copy, dealloc");
            counted.dealloc(block, Layout::from_size_align(200, 8).unwrap());
            assert_eq!(counted.inner.told(), Telltale::DEALLOC);
            let block = counted.alloc_zeroed(layout);
            assert_eq!(counted.inner.told(), Telltale::ALLOC_ZEROED, "not alloc and writing");
            counted.dealloc(block, layout);
        }
    }

    #[test]
    fn the_peak_starts_again_from_what_is_live() {
        let counted = Counted::new(Exhaustible::default());
        let kept = Block::take(&counted, 30).unwrap();
        drop(Block::take(&counted, 1_000));
        assert_eq!(counted.counters().peak_live, 1_030);
        counted.reset_peak();
        assert_eq!(counted.counters(), counters(3, 1_030, 30), "only the peak is reset");
        drop(Block::take(&counted, 500));
        assert_eq!(counted.counters().peak_live, 530);
        drop(kept);
        counted.reset_peak();
        assert_eq!(counted.counters().peak_live, 0);
    }

    #[test]
    fn threads_lose_nothing() {
        const THREADS: usize = 4;
        const ROUNDS: usize = 2_000;
        let counted = Counted::new(Exhaustible::default());
        let all_hold = Barrier::new(THREADS);
        std::thread::scope(|scope| {
            for thread in 1..=THREADS {
                let (counted, all_hold) = (&counted, &all_hold);
                scope.spawn(move || {
                    for round in 1..=ROUNDS {
                        let mut block = Block::take(counted, thread * 8).unwrap();
                        assert!(block.resize(round));
                    }
                    // The peak: every thread holds a block far above all that came before, at the same time.
                    let held = Block::take(counted, 1_000_000 * thread);
                    all_hold.wait();
                    drop(held);
                });
            }
        });
        let (threads, rounds) = (THREADS as u64, ROUNDS as u64);
        let triangle = |n: u64| n * (n + 1) / 2;
        let requested = triangle(threads) * (8 * rounds + 1_000_000) + threads * triangle(rounds);
        assert_eq!(counted.counters(), counters(threads * (3 * rounds + 2), requested, triangle(threads) * 1_000_000));
        assert_eq!(counted.live(), 0);
    }

    #[test]
    fn blocks_of_any_alignment_are_handed_on() {
        let counted = Counted::new(System);
        for align in [1, 16, 4096, 1 << 20] {
            let layout = Layout::from_size_align(24, align).unwrap();
            // SAFETY: the size is above zero, and the block is given back once with its layout.
            unsafe {
                let block = counted.alloc(layout);
                assert_eq!(block.addr() % align, 0);
                counted.dealloc(block, layout);
            }
        }
        assert_eq!(counted.counters(), counters(8, 96, 24));
    }
}

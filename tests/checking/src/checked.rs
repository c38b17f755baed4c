//! An allocator that is looked after at every call.
#![expect(unsafe_code, reason = "an implementation of GlobalAlloc, which reads and writes what the blocks hold")]

use std::alloc::{GlobalAlloc, Layout};
use std::hint::black_box;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::aside;
use crate::books::{Books, Held};
use crate::fault::{Call, Fault, Wrong};
use crate::watch;

/// Hands every call to `A`, and looks at what comes of it.
pub struct Checked<A> {
    inner: A,
    books: Books,
    /// What fresh blocks are filled with; freed ones with all its bits turned.
    fill: AtomicU8,
    /// Is told what is wrong.
    report: fn(&Fault),
}

impl<A> Checked<A> {
    /// Checks this allocator, and ends the program at the first thing that is wrong.
    pub const fn new(inner: A) -> Self {
        Self::reporting_to(inner, watch::end)
    }

    /// Checks this allocator and reports to this function. If that returns, the call goes on as well as it can.
    pub const fn reporting_to(inner: A, report: fn(&Fault)) -> Self {
        Self { inner, books: Books::new(), fill: AtomicU8::new(0xa5), report }
    }

    /// Sets what fresh blocks are filled with from now on.
    pub fn set_fill(&self, fill: u8) {
        self.fill.store(fill, Ordering::Relaxed);
    }

    /// What is alive now. Exact while no other thread allocates.
    pub fn held(&self) -> Held {
        self.books.held()
    }

    fn fill(&self) -> u8 {
        self.fill.load(Ordering::Relaxed)
    }

    fn report(&self, call: Call, wrong: Wrong) {
        (self.report)(&Fault { call, wrong });
    }

    /// Begins a call: counts it, and looks at what is asked for.
    fn begin(&self, call: Call, size: usize) {
        self.books.count();
        if size == 0 {
            self.report(call, Wrong::Empty);
        }
    }

    /// Looks at where a block lies, and writes it down. Whether its content can be looked at too.
    fn admit(&self, call: Call, block: *mut u8, layout: Layout) -> bool {
        if block.is_null() {
            self.report(call, Wrong::Refused);
            return false;
        }
        let by = block.addr() % layout.align();
        if by != 0 {
            self.report(call, Wrong::Misaligned(by));
        }
        let entered = self.books.enter(block.addr(), layout);
        if let Err(wrong) = entered {
            self.report(call, wrong);
        }
        entered.is_ok()
    }

    /// Strikes out a block before it goes back to the allocator, which may then give it to another thread at once. Whether it was
    /// there.
    fn dismiss(&self, call: Call, block: *mut u8, layout: Layout) -> bool {
        let left = self.books.leave(block.addr(), layout);
        if let Err(wrong) = left {
            self.report(call, wrong);
        }
        left.is_ok()
    }
}

// SAFETY: every call is handed to an allocator that keeps the contract, with the arguments it came with, and what that returns is
// returned. Blocks are written where the contract says nothing of their content: when they are fresh, and when they are given back.
// A thread that is in the books is served from elsewhere, and gives that back there.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Checked<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if aside::is_aside() {
            return aside::take(layout);
        }
        let call = Call::Alloc(layout);
        self.begin(call, layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        let block = unsafe { self.inner.alloc(layout) };
        if self.admit(call, block, layout) {
            // SAFETY: the block has that many bytes, which are nobody's yet.
            unsafe { fill(block, 0, layout.size(), self.fill()) };
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if aside::is_aside() {
            let block = aside::take(layout);
            if !block.is_null() {
                // SAFETY: the block has that many bytes, which are nobody's yet.
                unsafe { block.write_bytes(0, layout.size()) };
            }
            return block;
        }
        let call = Call::Zeroed(layout);
        self.begin(call, layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        let block = unsafe { self.inner.alloc_zeroed(layout) };
        if self.admit(call, block, layout) {
            // SAFETY: the block has that many bytes, of which the allocator has written all.
            let dirty = unsafe { first_dirty(block, layout.size()) };
            if let Some(offset) = dirty {
                self.report(call, Wrong::Dirty(offset));
            }
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if aside::contains(block) {
            // SAFETY: what lies there was taken from there, with this layout, as the caller promises.
            return unsafe { aside::give(block, layout) };
        }
        let call = Call::Dealloc(layout);
        self.begin(call, layout.size());
        if self.dismiss(call, block, layout) {
            // SAFETY: the block is live, of this layout, and the caller is done with it; the books say so too.
            unsafe {
                fill(block, 0, layout.size(), !self.fill());
                self.inner.dealloc(block, layout);
            }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if aside::contains(block) {
            // SAFETY: as in `dealloc`; the new block has the same alignment, and room for what is copied.
            return unsafe { resize_aside(block, layout, new_size) };
        }
        let call = Call::Realloc(layout, new_size);
        self.begin(call, new_size);
        if !self.dismiss(call, block, layout) {
            return std::ptr::null_mut();
        }
        let kept = layout.size().min(new_size);
        // SAFETY: the block is live, and of at least so many bytes, all of which were written when it was handed out.
        let before = unsafe { digest(block, kept) };
        // SAFETY: the caller keeps the contract of `realloc`.
        let moved = unsafe { self.inner.realloc(block, layout, new_size) };
        if moved.is_null() {
            self.report(call, Wrong::Refused);
            // It is still the caller's.
            if let Err(wrong) = self.books.enter(block.addr(), layout) {
                self.report(call, wrong);
            }
            return moved;
        }
        // SAFETY: the alignment comes from a layout, and the caller has seen to it that the size fits with it.
        let new_layout = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        if self.admit(call, moved, new_layout) {
            // SAFETY: the block has `new_size` bytes, of which the first `kept` are copies of what was there, and the others nobody's.
            unsafe {
                if digest(moved, kept) != before {
                    self.report(call, Wrong::Corrupt(kept));
                }
                fill(moved, kept, new_size, self.fill());
            }
        }
        moved
    }
}

/// Resizes a block of the books.
///
/// # Safety
/// As for `realloc`, of a block that lies aside.
unsafe fn resize_aside(block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
    // SAFETY: as the caller of `realloc` promises.
    let new_layout = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
    let moved = aside::take(new_layout);
    if !moved.is_null() {
        // SAFETY: both have as many bytes, the new block is nobody's, and the old one is not used after this.
        unsafe {
            moved.copy_from_nonoverlapping(block, layout.size().min(new_size));
            aside::give(block, layout);
        }
    }
    moved
}

/// Writes `byte` into a block, from one offset to another.
///
/// # Safety
/// The bytes must be valid for writes, and nobody's.
unsafe fn fill(block: *mut u8, from: usize, to: usize, byte: u8) {
    // SAFETY: as the caller promises.
    unsafe { block.add(from).write_bytes(byte, to - from) };
    // Else the compiler could leave out what is written into a block that is freed next.
    black_box(block);
}

/// The eight bytes at this offset.
///
/// Whoever has copied a value into the block may have left its padding as it was, for which the compiler takes whatever it likes; a
/// volatile read has it load what is there.
///
/// # Safety
/// The bytes must be valid for reads.
unsafe fn word(block: *const u8, offset: usize) -> u64 {
    // SAFETY: as the caller promises; an array of bytes needs no alignment.
    u64::from_le_bytes(unsafe { block.add(offset).cast::<[u8; 8]>().read_volatile() })
}

/// The byte at this offset, read likewise.
///
/// # Safety
/// The byte must be valid for reads.
unsafe fn byte(block: *const u8, offset: usize) -> u8 {
    // SAFETY: as the caller promises.
    unsafe { block.add(offset).read_volatile() }
}

/// A number that follows from the first bytes of a block and their places.
///
/// # Safety
/// That many bytes must be valid for reads.
unsafe fn digest(block: *const u8, size: usize) -> u64 {
    // The golden ratio in 64 bits: odd, so that nothing is lost, and with ones all over, so that every bit goes into many others.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| (sum.rotate_left(29) ^ word).wrapping_mul(FACTOR);
    let words = size / 8 * 8;
    // SAFETY: the offsets and what is read there lie within the bytes.
    unsafe {
        let sum = (0..words).step_by(8).fold(size as u64, |sum, offset| mix(sum, word(block, offset)));
        (words..size).fold(sum, |sum, offset| mix(sum, u64::from(byte(block, offset))))
    }
}

/// The first byte of a block that is not zero.
///
/// # Safety
/// That many bytes must be valid for reads.
unsafe fn first_dirty(block: *const u8, size: usize) -> Option<usize> {
    let words = size / 8 * 8;
    // SAFETY: the offsets and what is read there lie within the bytes.
    unsafe {
        let from = (0..words).step_by(8).find(|offset| word(block, *offset) != 0).unwrap_or(words);
        (from..size).find(|offset| byte(block, *offset) != 0)
    }
}

#[cfg(test)]
mod tests;

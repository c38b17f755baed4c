//! A block of the allocator under test, with what is known of it.
#![expect(unsafe_code, reason = "calls of an allocator, and reads and writes of the blocks it hands out")]

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, realloc};
use std::hint::black_box;

use heapmark_protocol::Finding;

use crate::ended::{Ended, found};
use crate::pattern::{self, Difference};

/// How a block is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// `alloc`
    Fresh,
    /// `alloc_zeroed`
    Zeroed,
}

impl How {
    /// The method of `GlobalAlloc`.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Fresh => "alloc",
            Self::Zeroed => "alloc_zeroed",
        }
    }
}

/// The bytes of a mark.
const MARK: usize = 64;

/// A live block. It is not given back by itself: after a finding nothing more is asked of the allocator.
///
/// It is plain data, so that it can lie in tables and pass between threads. Whoever holds the only copy owns the block; every
/// method that takes `self` or `&mut self` needs the owner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    start: *mut u8,
    size: usize,
    align: usize,
    /// Of the pattern that it holds.
    seed: u64,
}

// SAFETY: it is an address and numbers; memory may be given back by any thread.
unsafe impl Send for Block {}

impl Block {
    /// Takes a block. Fails if it is null, or lies where its alignment does not allow it.
    pub(crate) fn take(how: How, size: usize, align: usize) -> Result<Self, Ended> {
        match Self::try_take(how, size, align) {
            Some(block) => block.aligned(how.word()),
            None => {
                Err(found(Finding::Refused, format_args!("{} of {size} bytes aligned to {align}: null", how.word())))
            }
        }
    }

    /// Takes a block where there may be none. Nothing about it has been looked at.
    ///
    /// # Panics
    /// If there can be no such layout; the sizes and alignments of the checks all have one.
    pub(crate) fn try_take(how: How, size: usize, align: usize) -> Option<Self> {
        let layout = Layout::from_size_align(size, align).expect("checks ask for what may be asked for");
        assert!(size > 0, "a block of no bytes may not be asked for");
        // SAFETY: the size is above zero. Neither side of the call may know the other: the optimiser may leave out a call
        // whose result it can foresee.
        let start = black_box(unsafe {
            match how {
                How::Fresh => alloc(black_box(layout)),
                How::Zeroed => alloc_zeroed(black_box(layout)),
            }
        });
        (!start.is_null()).then_some(Self { start, size, align, seed: 0 })
    }

    fn aligned(self, call: &str) -> Result<Self, Ended> {
        let (size, align) = (self.size, self.align);
        match self.address() % align {
            0 => Ok(self),
            beyond => Err(found(
                Finding::Misaligned,
                format_args!(
                    "{call} of {size} bytes aligned to {align}: the address is {beyond} bytes beyond a multiple"
                ),
            )),
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn address(&self) -> usize {
        self.start.addr()
    }

    /// The beginning of the content. Whoever looks has to expect anything: a broken allocator may have given the memory to
    /// others too.
    fn bytes(&self, length: usize) -> &[u8] {
        assert!(length <= self.size);
        // SAFETY: the block is live, and the callers ask for bytes that they have written or the allocator zeroed. Through the
        // black box the optimiser cannot know that nobody else wrote to them.
        unsafe { std::slice::from_raw_parts(black_box(self.start), length) }
    }

    /// Writes the pattern of this seed over the whole block, from edge to edge.
    pub(crate) fn fill(&mut self, seed: u64) {
        self.write(self.size, seed);
    }

    /// Writes the pattern of this seed at the beginning only: the rest of a large block then needs no memory.
    pub(crate) fn mark(&mut self, seed: u64) {
        self.write(self.size.min(MARK), seed);
    }

    fn write(&mut self, length: usize, seed: u64) {
        assert!(length <= self.size);
        self.seed = seed;
        let start = black_box(self.start);
        let words = length / 8;
        for number in 0..words {
            // SAFETY: eight times the number of words is at most the size of the live block, and these bytes may lie anywhere.
            unsafe { start.add(number * 8).cast::<[u8; 8]>().write(pattern::word(seed, number)) };
        }
        for at in words * 8..length {
            // SAFETY: the place is below the size of the live block.
            unsafe { start.add(at).write(pattern::byte(seed, at)) };
        }
        black_box(start);
    }

    /// Whether the block still holds its pattern.
    pub(crate) fn check(&self) -> Result<(), Ended> {
        self.holds(self.size)
    }

    /// Whether the block still holds its mark.
    pub(crate) fn check_mark(&self) -> Result<(), Ended> {
        self.holds(self.size.min(MARK))
    }

    fn holds(&self, length: usize) -> Result<(), Ended> {
        let Some(Difference { at, expected, got }) = self.difference(length) else { return Ok(()) };
        let (size, align) = (self.size, self.align);
        Err(found(
            Finding::Corrupt,
            format_args!(
                "a live block of {size} bytes aligned to {align}: byte {at} is {got:#04x}, {expected:#04x} was written"
            ),
        ))
    }

    /// The first of so many bytes that is not the pattern's.
    fn difference(&self, length: usize) -> Option<Difference> {
        pattern::difference(self.bytes(length), self.seed)
    }

    /// Whether a block that was to be zeroed is.
    pub(crate) fn check_zero(&self) -> Result<(), Ended> {
        let Some(Difference { at, got, .. }) = pattern::not_zero(self.bytes(self.size)) else { return Ok(()) };
        let (size, align) = (self.size, self.align);
        Err(found(
            Finding::Dirty,
            format_args!("alloc_zeroed of {size} bytes aligned to {align}: byte {at} is {got:#04x}"),
        ))
    }

    /// Resizes the block, and looks whether it kept what it held and its alignment.
    pub(crate) fn resize(&mut self, size: usize) -> Result<(), Ended> {
        let old = self.size;
        if !self.try_resize(size) {
            let align = self.align;
            return Err(found(
                Finding::Refused,
                format_args!("realloc from {old} to {size} bytes aligned to {align}: null"),
            ));
        }
        self.aligned("realloc")?;
        // Bytes beyond the old size hold anything.
        let Some(Difference { at, expected, got }) = self.difference(old.min(size)) else { return Ok(()) };
        let align = self.align;
        Err(found(
            Finding::Corrupt,
            format_args!(
                "realloc from {old} to {size} bytes aligned to {align}: byte {at} is {got:#04x}, {expected:#04x} was written"
            ),
        ))
    }

    /// Resizes the block where that may fail; whether it did not. Where it did, the block is what it was.
    pub(crate) fn try_resize(&mut self, size: usize) -> bool {
        assert!(size > 0, "a block of no bytes may not be asked for");
        // SAFETY: the block is live with this layout, and the size is above zero and below what a layout may have.
        let start = black_box(unsafe { realloc(self.start, self.layout(), black_box(size)) });
        if start.is_null() {
            return false;
        }
        (self.start, self.size) = (start, size);
        true
    }

    /// Gives it back, without looking at it.
    pub(crate) fn give_back(self) {
        // SAFETY: the block is live with this layout, and the owner uses it no more.
        unsafe { dealloc(black_box(self.start), self.layout()) }
    }

    /// Gives it back if it still holds its pattern.
    pub(crate) fn check_and_give_back(self) -> Result<(), Ended> {
        self.check()?;
        self.give_back();
        Ok(())
    }

    fn layout(&self) -> Layout {
        Layout::from_size_align(self.size, self.align).expect("it was asked for with this layout")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_their_pattern_as_they_grow_and_shrink() {
        let mut block = Block::take(How::Fresh, 100, 64).unwrap();
        block.fill(1);
        for size in [5000, 17, 1, 100_000] {
            block.resize(size).unwrap();
            block.fill(size as u64);
            block.check().unwrap();
        }
        block.check_and_give_back().unwrap();
        let zeroed = Block::take(How::Zeroed, 10_000, 8).unwrap();
        zeroed.check_zero().unwrap();
        zeroed.give_back();
    }

    #[test]
    fn what_others_write_is_found_and_named() {
        let mut block = Block::take(How::Fresh, 64, 8).unwrap();
        block.fill(5);
        let mut same = block;
        same.fill(6);
        let Err(Ended::Found(Finding::Corrupt, detail)) = block.check() else { panic!("it was overwritten") };
        assert!(detail.starts_with("a live block of 64 bytes aligned to 8: byte "), "{detail}");
        let Err(Ended::Found(Finding::Dirty, detail)) = block.check_zero() else { panic!("it is not zero") };
        assert!(detail.starts_with("alloc_zeroed of 64 bytes aligned to 8: byte "), "{detail}");
        block.give_back();
    }

    #[test]
    fn a_wrong_address_is_told_by_how_much() {
        let block = Block { start: std::ptr::without_provenance_mut(0x10_0030), size: 9, align: 64, seed: 0 };
        let Err(Ended::Found(Finding::Misaligned, detail)) = block.aligned("alloc") else { panic!("0x30 is not 0x40") };
        assert_eq!(detail, "alloc of 9 bytes aligned to 64: the address is 48 bytes beyond a multiple");
    }
}

//! A block that says itself how large it is.
#![expect(unsafe_code, reason = "a block of a size known at run time only comes from `std::alloc` and goes back there")]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use super::pattern;
use crate::models::Touch;

/// The sizes that a block can have: it has room for its stamp, which has 32 bits for the size.
const LEAST: usize = size_of::<u64>();
const GREATEST: usize = u32::MAX as usize;

/// As most Rust types have it, and what every allocator gives without being asked.
const ALIGNMENT: usize = align_of::<u64>();

/// Where in the stamp the touch and the key begin.
const TOUCH_SHIFT: u32 = 32;
const KEY_SHIFT: u32 = 34;

/// A block on the heap, aligned to eight bytes. Its first word is its stamp: size, touch and key. Thirty bits of the
/// key are kept.
///
/// Dropping it frees it; [`Block::free`] also tells what was in it.
#[derive(Debug)]
pub(crate) struct Block {
    stamp: NonNull<u64>,
}

// SAFETY: a block is plain memory with one owner, and may be freed on any thread.
unsafe impl Send for Block {}

impl Block {
    /// Allocates a block and writes of it what `touch` says; the first word at least.
    ///
    /// # Panics
    /// If it has less than eight bytes, or 4 GiB and more.
    #[inline]
    pub(crate) fn new(size: usize, key: u64, touch: Touch) -> Self {
        assert!((LEAST..=GREATEST).contains(&size), "no block has {size} bytes");
        // SAFETY: the size was just checked.
        let layout = unsafe { layout(size) };
        // SAFETY: the size is not zero.
        let start = unsafe { alloc(layout) };
        #[expect(clippy::cast_ptr_alignment, reason = "the layout asks for the alignment of a word")]
        let Some(stamp) = NonNull::new(start.cast::<u64>()) else { handle_alloc_error(layout) };
        let value = size as u64 | (touch as u64) << TOUCH_SHIFT | key << KEY_SHIFT;
        // SAFETY: the block has room for a word, is aligned for it, and belongs to nobody else.
        unsafe { stamp.write(value) };
        let block = Self { stamp };
        if touch > Touch::First {
            block.fill(size, touch, value);
        }
        block
    }

    /// Writes the pattern behind the stamp, whose first word is the stamp.
    fn fill(&self, size: usize, touch: Touch, stamp: u64) {
        // SAFETY: the block has `size` bytes, which nobody else writes or reads meanwhile.
        unsafe { pattern::write(self.stamp.as_ptr().cast(), LEAST, size, touch, stamp) }
    }

    /// The first word: what the block is.
    #[inline]
    pub(crate) fn stamp(&self) -> u64 {
        // SAFETY: the first word was written when the block was made.
        unsafe { self.stamp.read() }
    }

    /// The bytes that the block has.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        size_of_stamp(self.stamp())
    }

    /// Reads what was written behind the stamp: 0 if it is still that.
    #[inline]
    pub(crate) fn damage(&self) -> u64 {
        let stamp = self.stamp();
        let touch = Touch::from_number(stamp >> TOUCH_SHIFT & 3);
        if touch <= Touch::First {
            return 0;
        }
        // SAFETY: the block has as many bytes as its stamp says, and what its touch covers was written when it was
        // made.
        unsafe { pattern::damage(self.stamp.as_ptr().cast(), size_of_stamp(stamp), touch, stamp) }
    }

    /// Reads back what was written, frees the block, and returns its stamp and what was wrong with it.
    #[inline]
    pub(crate) fn free(self) -> u64 {
        self.stamp().wrapping_add(self.damage())
    }

    /// Reads back what was written, frees the block, and returns what was wrong with it: for blocks that come to
    /// whoever is fastest, so that which one it was must not count.
    #[inline]
    pub(crate) fn discard(self) -> u64 {
        self.damage()
    }

    /// The block as a bare address, to be put back together by [`Block::from_address`].
    pub(super) fn into_address(self) -> *mut u64 {
        ManuallyDrop::new(self).stamp.as_ptr()
    }

    /// The block of an address.
    ///
    /// # Safety
    /// The address must come from [`Block::into_address`], and this must be its only use.
    pub(super) unsafe fn from_address(address: NonNull<u64>) -> Self {
        Self { stamp: address }
    }
}

impl Drop for Block {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the stamp holds the size that the block was made with, which was checked then.
        let layout = unsafe { layout(self.size()) };
        // SAFETY: the block was allocated with this layout, and nobody uses it any more.
        unsafe { dealloc(self.stamp.as_ptr().cast(), layout) }
    }
}

/// # Safety
/// The size must lie between [`LEAST`] and [`GREATEST`].
#[inline]
const unsafe fn layout(size: usize) -> Layout {
    // SAFETY: the alignment is a power of two, and the size is far below the greatest that a layout can have.
    unsafe { Layout::from_size_align_unchecked(size, ALIGNMENT) }
}

/// The size in a stamp, which its lower half is.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "what is masked has 32 bits")]
const fn size_of_stamp(stamp: u64) -> usize {
    (stamp & GREATEST as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_knows_what_it_is() {
        for size in [8, 9, 15, 16, 100, 4096, 5000, 1 << 20] {
            for touch in [Touch::First, Touch::Pages, Touch::All] {
                let block = Block::new(size, 77, touch);
                assert_eq!((block.size(), block.damage()), (size, 0));
                let stamp = block.stamp();
                assert_eq!(stamp >> KEY_SHIFT, 77);
                assert_eq!(block.free(), stamp);
                assert_eq!(Block::new(size, u64::MAX, touch).discard(), 0, "a key too long is cut");
            }
        }
    }

    #[test]
    fn overwritten_bytes_are_seen() {
        for (touch, offsets) in [(Touch::Pages, [4096, 9999]), (Touch::All, [8, 5000])] {
            for offset in offsets {
                let block = Block::new(10_000, 1, touch);
                // SAFETY: the offset lies within the block, which nobody else uses.
                unsafe {
                    let byte = block.stamp.as_ptr().cast::<u8>().add(offset);
                    byte.write(!byte.read());
                }
                assert_ne!(block.damage(), 0, "{touch:?} at {offset}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "no block has 7 bytes")]
    fn a_block_without_room_for_its_stamp_is_refused() {
        let _ = Block::new(7, 0, Touch::First);
    }

    #[test]
    fn the_owner_is_one_word() {
        assert_eq!(size_of::<Option<Block>>(), size_of::<usize>());
    }
}

//! A block with its layout beside it: untouched, zeroed, aligned, or growing.
#![expect(unsafe_code, reason = "a block of a size known at run time only comes from `std::alloc` and goes back there")]

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error, realloc};
use std::ptr::NonNull;

use super::pattern;
use crate::models::Touch;

/// How far apart the bytes are that are looked at in a zeroed buffer: one of each page, so that looking does not cost
/// more than making.
const LOOK: usize = crate::models::PAGE;

/// A block on the heap of any size but zero and any alignment. Dropping it frees it.
#[derive(Debug)]
pub(crate) struct Buffer {
    start: NonNull<u8>,
    layout: Layout,
    touch: Touch,
    key: u64,
    /// What was wrong with it when it was handed out: not aligned, or not zero where that was asked for.
    faults: u64,
}

// SAFETY: a buffer is plain memory with one owner, and may be freed on any thread.
unsafe impl Send for Buffer {}

impl Buffer {
    /// Allocates a buffer and writes of it what `touch` says.
    ///
    /// # Panics
    /// If the size is zero, the alignment no power of two, or both together exceed the address space.
    pub(crate) fn new(size: usize, alignment: usize, touch: Touch, key: u64) -> Self {
        let layout = layout(size, alignment);
        // SAFETY: the size is not zero.
        let start = unsafe { alloc(layout) };
        let mut buffer = Self::from_start(start, layout, touch, key);
        buffer.write_from(0);
        buffer
    }

    /// Allocates a zeroed buffer, looks whether it is zero where `touch` reaches (nowhere, in the first word, a byte of
    /// each page), and writes of it what `touch` says.
    ///
    /// # Panics
    /// Like [`Buffer::new`].
    pub(crate) fn zeroed(size: usize, alignment: usize, touch: Touch, key: u64) -> Self {
        let layout = layout(size, alignment);
        // SAFETY: the size is not zero.
        let start = unsafe { alloc_zeroed(layout) };
        let mut buffer = Self::from_start(start, layout, touch, key);
        let reach = match touch {
            Touch::None => 0,
            Touch::First => size.min(8),
            Touch::Pages | Touch::All => size,
        };
        for offset in (0..reach).step_by(if reach <= 8 { 1 } else { LOOK }) {
            // SAFETY: the offset lies within the block, all of which was zeroed.
            buffer.faults |= u64::from(unsafe { buffer.start.add(offset).read() });
        }
        buffer.write_from(0);
        buffer
    }

    fn from_start(start: *mut u8, layout: Layout, touch: Touch, key: u64) -> Self {
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        let mut buffer = Self { start, layout, touch, key, faults: 0 };
        buffer.look_at_alignment();
        buffer
    }

    fn look_at_alignment(&mut self) {
        self.faults |= (self.start.addr().get() & (self.layout.align() - 1)) as u64;
    }

    fn write_from(&mut self, from: usize) {
        // SAFETY: the block has as many bytes as its layout, and belongs to this buffer alone.
        unsafe { pattern::write(self.start.as_ptr(), from, self.layout.size(), self.touch, self.key) }
    }

    /// Gives the buffer another size. Its beginning stays as it is; of what is new, `touch` says what is written.
    ///
    /// # Panics
    /// Like [`Buffer::new`].
    pub(crate) fn resize(&mut self, size: usize) {
        let new = layout(size, self.layout.align());
        // SAFETY: the block was allocated with this layout, and the new size is not zero and fits with the alignment.
        let start = unsafe { realloc(self.start.as_ptr(), self.layout, size) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(new) };
        let old_size = self.layout.size();
        self.start = start;
        self.layout = new;
        self.look_at_alignment();
        self.write_from(old_size);
    }

    /// The bytes that the buffer has.
    pub(crate) fn size(&self) -> usize {
        self.layout.size()
    }

    /// Reads back all that was written: 0 if it is still that, and the buffer was aligned, and zero where that was
    /// asked for.
    #[cfg(test)]
    pub(crate) fn damage(&self) -> u64 {
        self.damage_seen(self.touch)
    }

    /// Reads back what was written, but no more than a byte of each page: 0 if it is still that, and the buffer was
    /// aligned, and zero where that was asked for.
    pub(crate) fn damage_at_a_glance(&self) -> u64 {
        self.damage_seen(if self.touch == Touch::All { Touch::Pages } else { self.touch })
    }

    fn damage_seen(&self, touch: Touch) -> u64 {
        // SAFETY: the block has as many bytes as its layout, and what its touch covers has been written; `touch` covers
        // no more.
        self.faults | unsafe { pattern::damage(self.start.as_ptr(), self.layout.size(), touch, self.key) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the block was allocated with this layout, and nobody uses it any more.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

fn layout(size: usize, alignment: usize) -> Layout {
    assert!(size > 0, "no buffer has 0 bytes");
    Layout::from_size_align(size, alignment).expect("sizes and alignments are far below what the address space holds")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOUCHES: [Touch; 4] = [Touch::None, Touch::First, Touch::Pages, Touch::All];

    #[test]
    fn buffers_are_aligned_and_hold_what_was_written() {
        for touch in TOUCHES {
            for size in [1, 7, 8, 4095, 4097, 100_000] {
                for alignment in [1, 8, 64, 4096, 1 << 16] {
                    let buffer = Buffer::new(size, alignment, touch, 3);
                    assert_eq!(buffer.start.addr().get() % alignment, 0);
                    assert_eq!((buffer.size(), buffer.damage(), buffer.damage_at_a_glance()), (size, 0, 0));
                    assert_eq!(Buffer::zeroed(size, alignment, touch, 3).damage(), 0);
                }
            }
        }
    }

    #[test]
    fn a_buffer_keeps_its_content_when_it_grows_and_shrinks() {
        for touch in TOUCHES {
            for alignment in [1, 64] {
                let mut buffer = Buffer::new(3, alignment, touch, 99);
                for size in [5, 64, 4096, 100_001, 200_000, 5000, 17, 2] {
                    buffer.resize(size);
                    assert_eq!((buffer.size(), buffer.damage()), (size, 0), "{touch:?} {size}");
                }
            }
        }
    }

    #[test]
    fn overwritten_bytes_are_seen() {
        for (touch, offset) in [(Touch::First, 3), (Touch::Pages, 8192), (Touch::Pages, 9999), (Touch::All, 4097)] {
            let buffer = Buffer::new(10_000, 8, touch, 1);
            // SAFETY: the offset lies within the block, which nobody else uses.
            unsafe { buffer.start.add(offset).write(!buffer.start.add(offset).read()) };
            assert_ne!(buffer.damage(), 0, "{touch:?} at {offset}");
        }
    }
}

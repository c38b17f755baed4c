//! Proof for allocators that cannot be asked whose a block is.
#![expect(unsafe_code, reason = "blocks are taken from an allocator by hand")]

use std::alloc::GlobalAlloc;
use std::fmt;

use crate::identity::{Proof, TestBlock};

/// How many blocks the program takes, and at most how many the allocator is then asked for. Half of them are given back, and have
/// to come up again before that: also where an allocator first uses up the list it is at, which holds a page of blocks at most.
const BLOCKS: usize = 64;

/// Proof that `allocator` serves, for one that has no function to ask: asked directly, it hands out a block that the program
/// has just given back.
///
/// An allocator hands out its own memory only, so the block was its own. The program keeps every second block meanwhile, so that
/// whoever owns them can neither merge nor release the memory between them, and nobody else can have obtained it. No address
/// is followed, so it is safe whoever serves.
pub fn proof_by_reuse(allocator: &dyn GlobalAlloc, out: &mut dyn fmt::Write) -> Proof {
    let mut program: [_; BLOCKS] = std::array::from_fn(|_| Some(TestBlock::new()));
    let given_back: [_; BLOCKS / 2] =
        std::array::from_fn(|pair| program[2 * pair].take().map(|block| block.address().addr()));
    let mut direct = Direct { allocator, blocks: [std::ptr::null_mut(); BLOCKS], taken: 0 };
    let found = std::iter::from_fn(|| direct.take()).any(|address| given_back.contains(&Some(address)));
    // The text is for a reader; where it ends early, the answer still stands.
    let _ = if found {
        write!(out, "block {} taken directly is one that the program had given back", direct.taken)
    } else {
        write!(out, "of {} blocks taken directly none is one that the program had given back", direct.taken)
    };
    if found { Proof::Api } else { Proof::None }
}

/// Blocks taken from an allocator by hand, and given back in the end.
struct Direct<'a> {
    allocator: &'a dyn GlobalAlloc,
    blocks: [*mut u8; BLOCKS],
    taken: usize,
}

impl Direct<'_> {
    /// Takes one more and says where it lies; nothing where there is none or were enough.
    fn take(&mut self) -> Option<usize> {
        let slot = self.blocks.get_mut(self.taken)?;
        // SAFETY: the layout is of a size above zero.
        *slot = unsafe { self.allocator.alloc(TestBlock::LAYOUT) };
        if slot.is_null() {
            return None;
        }
        self.taken += 1;
        Some(slot.addr())
    }
}

impl Drop for Direct<'_> {
    fn drop(&mut self) {
        for block in &self.blocks[..self.taken] {
            // SAFETY: the block came from this allocator with this layout, and is given back once.
            unsafe { self.allocator.dealloc(*block, TestBlock::LAYOUT) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::alloc::{Layout, System};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Hands out parts of an array, so many, and takes nothing back but a count.
    struct Elsewhere {
        parts: Box<[[u8; TestBlock::SIZE]]>,
        taken: AtomicUsize,
        given_back: AtomicUsize,
    }

    impl Elsewhere {
        fn of(parts: usize) -> Self {
            let parts = vec![[0; TestBlock::SIZE]; parts].into();
            Self { parts, taken: AtomicUsize::new(0), given_back: AtomicUsize::new(0) }
        }
    }

    // SAFETY: every block is another part of an array that lives as long as this does.
    unsafe impl GlobalAlloc for Elsewhere {
        unsafe fn alloc(&self, _: Layout) -> *mut u8 {
            let index = self.taken.fetch_add(1, Ordering::Relaxed);
            self.parts.get(index).map_or(std::ptr::null_mut(), |part| part.as_ptr().cast_mut())
        }

        unsafe fn dealloc(&self, _: *mut u8, _: Layout) {
            self.given_back.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_allocator_that_serves_hands_out_what_was_given_back() {
        let mut detail = String::new();
        assert_eq!(proof_by_reuse(&System, &mut detail), Proof::Api, "{detail}");
        assert!(detail.contains("the program had given back"), "{detail}");
    }

    #[test]
    fn another_allocator_hands_out_something_else_and_gets_it_all_back() {
        for parts in [1_000, 3, 0] {
            let elsewhere = Elsewhere::of(parts);
            let mut detail = String::new();
            assert_eq!(proof_by_reuse(&elsewhere, &mut detail), Proof::None, "{detail}");
            let asked = parts.min(BLOCKS);
            assert_eq!(elsewhere.given_back.into_inner(), asked);
            assert!(detail.starts_with(&format!("of {asked} blocks")), "{detail}");
        }
    }
}

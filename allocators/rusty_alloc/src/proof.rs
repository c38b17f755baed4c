//! Proof that `rusty_alloc` serves.
#![expect(unsafe_code, reason = "usable_size follows the address that it is given")]

use std::fmt;

use heapmark_worker::{Proof, TestBlock};
use rusty_alloc::alloc::{is_in_heap_region, usable_size};

/// `rusty_alloc`'s segment map knows the block.
pub(crate) fn proof(block: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    // The text is for a reader; where it ends early, the answer still stands.
    if !is_in_heap_region(block.address()) {
        let _ = write!(out, "is_in_heap_region does not know the block");
        return Proof::None;
    }
    // SAFETY: the block is live, since the caller holds it, and lies in a segment of rusty_alloc's. The map knows windows of
    // 32 MiB, which is what segments are aligned to: only the last one of a larger reservation can hold other memory too.
    let usable = unsafe { usable_size(block.address()) };
    let _ = write!(out, "is_in_heap_region knows the block, usable_size is {usable}");
    // The next size class is reached at less than twice the size.
    if (TestBlock::SIZE..2 * TestBlock::SIZE).contains(&usable) { Proof::Api } else { Proof::None }
}

//! Proof that snmalloc serves.

use std::fmt;

use heapmark_worker::{Proof, TestBlock};
use snmalloc_rs::SnMalloc;

/// snmalloc's page map knows the block.
pub(crate) fn proof(block: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    // The text is for a reader; where it ends early, the answer still stands.
    if let Some(usable) = usable_size(block.address()) {
        let _ = write!(out, "the page map knows the block, with a usable size of {usable}");
        // The next size class is reached at less than twice the size.
        if (TestBlock::SIZE..2 * TestBlock::SIZE).contains(&usable) { Proof::Api } else { Proof::None }
    } else {
        let _ = write!(out, "the page map does not know the block");
        Proof::None
    }
}

/// The usable size of a block of snmalloc's; nothing for an address that is not snmalloc's.
///
/// The size comes from the page map, a flat table for the whole address space that is indexed by the address, which is never
/// followed. Where snmalloc owns nothing the entry is zero, which stands for a size of zero (`FlatPagemap`, `SizeClassTable`).
/// The table does not exist before snmalloc first takes memory, and may not be asked until then.
pub(crate) fn usable_size(address: *const u8) -> Option<usize> {
    if SnMalloc::memory_stats().current_memory_usage == 0 {
        return None;
    }
    SnMalloc.usable_size(address).filter(|usable| *usable > 0)
}

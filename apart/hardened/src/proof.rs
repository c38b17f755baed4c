//! Proof that `hardened_malloc` serves, and in which configuration.
#![expect(unsafe_code, reason = "calls into hardened_malloc")]

use std::fmt;

use hardened_malloc::malloc_object_size;
use heapmark_worker::{Proof, TestBlock};

/// The slab allocator knows the block, and quarantines what is freed.
pub(crate) fn default(block: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    proof(block, true, out)
}

/// The slab allocator knows the block, and hands out at once what is freed.
pub(crate) fn light(block: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    proof(block, false, out)
}

fn proof(block: &TestBlock, quarantines: bool, out: &mut dyn fmt::Write) -> Proof {
    // The text is for a reader; where it ends early, the answer still stands.
    let Some(size) = object_size(block.address()) else {
        let _ = write!(out, "malloc_object_size does not know the block");
        return Proof::None;
    };
    let reused = reuses_at_once();
    let fate = if reused { "used again at once" } else { "quarantined" };
    let _ = write!(out, "malloc_object_size of the block is {size}, and a freed block is {fate}");
    if reused != quarantines && size >= TestBlock::SIZE { Proof::Api } else { Proof::None }
}

/// The usable size of a block of `hardened_malloc`'s; nothing for an address that is not.
pub(crate) fn object_size(address: *const u8) -> Option<usize> {
    // SAFETY: any address outside the library's slabs may be asked for: it is looked up in a table of large allocations and never
    // followed. Of the slabs' addresses the caller has only those of live blocks.
    let size = unsafe { malloc_object_size(address.cast()) };
    // Unknown is the largest number, and null is zero.
    (1..usize::MAX).contains(&size).then_some(size)
}

/// Whether a block that was freed is the next one of its size: never in the default configuration, where it has to pass a
/// quarantine, and always in the light one, which has none and takes the first free slot (`SLAB_QUARANTINE_QUEUE_LENGTH` and
/// `SLOT_RANDOMIZE` in the crate's `config-default.conf` and `config-light.conf`). The library does not tell its configuration.
fn reuses_at_once() -> bool {
    // Only the address is compared, of a block that is gone.
    let freed = TestBlock::new().address().addr();
    TestBlock::new().address().addr() == freed
}

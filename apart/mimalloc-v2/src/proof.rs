//! Proof that mimalloc 2 serves.
#![expect(unsafe_code, reason = "calls into mimalloc")]

use std::fmt;

use heapmark_worker::{Proof, TestBlock};
use libmimalloc_sys::{mi_is_in_heap_region, mi_usable_size};

use crate::options;

/// The version that this backend is about. Another one would be another contender under its name.
const MAJOR: i32 = 2;

/// mimalloc's arenas or its segment map have the block, and the version is the right one.
pub(crate) fn proof(block: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    // The text is for a reader; where it ends early, the answer still stands.
    if options::version() / 10_000 != MAJOR {
        let _ = write!(out, "mi_version is {}, and not of version {MAJOR}", options::version());
        return Proof::None;
    }
    if let Some(usable) = usable_size(block.address()) {
        let _ = write!(out, "mi_is_in_heap_region knows the block, mi_usable_size is {usable}");
        if usable >= TestBlock::SIZE { Proof::Api } else { Proof::None }
    } else {
        let _ = write!(out, "mi_is_in_heap_region does not know the block");
        Proof::None
    }
}

/// The usable size of a block of mimalloc's; nothing for an address that is not mimalloc's.
pub(crate) fn usable_size(address: *const u8) -> Option<usize> {
    // SAFETY: any address may be asked for: it is compared with the bounds of the arenas, then looked up in a map of segments,
    // and nothing near it is read unless the map says that mimalloc has a segment there (`_mi_arena_contains`, `_mi_segment_of`).
    if !unsafe { mi_is_in_heap_region(address.cast()) } {
        return None;
    }
    // SAFETY: the block lies in memory of mimalloc's and is live, since the caller holds it.
    Some(unsafe { mi_usable_size(address.cast()) })
}

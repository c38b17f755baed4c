//! Proof that mimalloc serves.
#![expect(unsafe_code, reason = "calls into mimalloc")]

use std::fmt;

use heapmark_worker::{Proof, TestBlock};
use libmimalloc_sys::{mi_is_in_heap_region, mi_usable_size};

use crate::options;

/// The version that this backend is about. Another one would be another contender under its name: Cargo gives every crate of a
/// workspace version 2 where one of them asks for it.
const MAJOR: i32 = 3;

/// mimalloc's page map knows the block, and the version is the right one.
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

/// As [`proof`], where the mitigations must be compiled in.
pub(crate) fn secure(block: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    match options::secure_level() {
        Some(1..) => proof(block, out),
        level => {
            let _ = write!(out, "the secure level is {}, and must not be 0", level.unwrap_or_default());
            Proof::None
        }
    }
}

/// The usable size of a block of mimalloc's; nothing for an address that is not mimalloc's.
pub(crate) fn usable_size(address: *const u8) -> Option<usize> {
    // SAFETY: any address may be asked for: it is looked up in the page map and never followed (`_mi_safe_ptr_page`).
    if !unsafe { mi_is_in_heap_region(address.cast()) } {
        return None;
    }
    // SAFETY: the block lies in a page of mimalloc's and is live, since the caller holds it.
    Some(unsafe { mi_usable_size(address.cast()) })
}

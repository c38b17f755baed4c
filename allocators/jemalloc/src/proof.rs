//! Proof that jemalloc serves.

use std::fmt;

use heapmark_worker::{Proof, TestBlock};

use crate::mallctl;

/// jemalloc's extent map knows the block.
pub(crate) fn proof(block: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    // The text is for a reader; where it ends early, the answer still stands.
    if let Some(arena) = mallctl::arena_of(block.address()) {
        let _ = write!(out, "arenas.lookup finds the block in arena {arena}");
        Proof::Api
    } else {
        let _ = write!(out, "arenas.lookup does not know the block");
        Proof::None
    }
}

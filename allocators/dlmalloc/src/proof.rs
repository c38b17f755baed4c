//! Proof that dlmalloc serves.

use std::fmt;

use dlmalloc::GlobalDlmalloc;
use heapmark_worker::{Proof, TestBlock, proof_by_reuse};

/// dlmalloc hands out what the program has given back. It has no function to ask about a block.
pub(crate) fn proof(_: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    proof_by_reuse(&GlobalDlmalloc, out)
}

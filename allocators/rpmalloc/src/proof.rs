//! Proof that rpmalloc serves.

use std::fmt;

use heapmark_worker::{Proof, TestBlock, proof_by_reuse};
use rpmalloc::RpMalloc;

/// rpmalloc hands out what the program has given back.
///
/// `rpmalloc_usable_size` would read the header at the start of a block's span, which a block of another allocator does not have.
pub(crate) fn proof(_: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    proof_by_reuse(&RpMalloc, out)
}

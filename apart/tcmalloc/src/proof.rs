//! Proof that tcmalloc serves, and with which caches.

use std::fmt;

use heapmark_worker::{Proof, TestBlock};

use crate::extension;

/// tcmalloc's page map knows the block, and the caches are per thread.
pub(crate) fn per_thread(block: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    proof(block, false, out)
}

/// tcmalloc's page map knows the block, and the caches are per CPU.
pub(crate) fn per_cpu(block: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    proof(block, true, out)
}

fn proof(block: &TestBlock, per_cpu: bool, out: &mut dyn fmt::Write) -> Proof {
    // The text is for a reader; where it ends early, the answer still stands.
    let Some(size) = extension::allocated_size(block.address()) else {
        let _ = write!(out, "GetOwnership does not know the block");
        return Proof::None;
    };
    let active = extension::per_cpu();
    let _ = write!(
        out,
        "GetOwnership knows the block, with a usable size of {size}; tcmalloc.per_cpu_caches_active is {}",
        u8::from(active)
    );
    if active == per_cpu && size >= TestBlock::SIZE { Proof::Api } else { Proof::None }
}

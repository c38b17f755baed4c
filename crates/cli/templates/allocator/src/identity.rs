//! What this worker says of its allocator.

use std::fmt;

use heapmark_worker::{Finding, Identity, Limit, Proof, TestBlock};

/// All that is not said here is unknown. An allocator with settings would list them as `knobs`, one that can be asked to give
/// memory back would say how in `purge`.
pub const IDENTITY: Identity = Identity {
    name: "my-allocator",
    crate_name: env!("CARGO_PKG_NAME"),
    crate_version: env!("CARGO_PKG_VERSION"),
    licence: "MIT OR Apache-2.0",
    forwards: "alloc,dealloc,realloc,alloc_zeroed",
    upstream_version: |out| out.write_str(env!("CARGO_PKG_VERSION")),
    proof,
    limits: &[Limit {
        check: "fork",
        finding: Finding::Hangs,
        reason: "a list that another thread has locked stays locked in the child",
    }],
    ..Identity::UNKNOWN
};

/// Proves that this allocator serves: it knows a block that came from the program's normal allocation path. Without a proof
/// nothing is measured.
fn proof(block: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    let ours = crate::ALLOCATOR.owns(block.address());
    // The text is for a reader; where it ends early, the answer still stands.
    let _ = write!(
        out,
        "the block lies {} a chunk of the free lists",
        if ours { "in" } else { "outside" }
    );
    if ours { Proof::Api } else { Proof::None }
}

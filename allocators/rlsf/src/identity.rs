//! Version and limits of rlsf. It has no settings at run time and counts nothing.

use std::fmt;

use heapmark_worker::{Finding, Identity, Limit};

use crate::proof;

/// What this backend says of itself.
pub const IDENTITY: Identity = Identity {
    name: "rlsf",
    crate_name: "rlsf",
    crate_version: "0.2.3",
    licence: "MIT OR Apache-2.0",
    forwards: "alloc,dealloc,realloc",
    upstream_version,
    proof: proof::proof,
    limits: LIMITS,
    ..Identity::UNKNOWN
};

const LIMITS: &[Limit] = &[Limit {
    check: "fork",
    finding: Finding::Hangs,
    reason: "another thread can hold the one lock during a fork, and the child waits for it forever",
}];

/// The crate is the allocator itself.
fn upstream_version(out: &mut dyn fmt::Write) -> fmt::Result {
    write!(out, "rlsf {}", IDENTITY.crate_version)
}

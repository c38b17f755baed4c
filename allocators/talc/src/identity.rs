//! Version and limits of talc. It has no settings at run time, and its counters are a feature that costs time and stays off.

use std::fmt;

use heapmark_worker::{Finding, Identity, Limit};

use crate::proof;

/// What this backend says of itself.
pub const IDENTITY: Identity = Identity {
    name: "talc",
    crate_name: "talc",
    crate_version: "5.1.1",
    licence: "MIT",
    forwards: "alloc,dealloc,realloc",
    upstream_version,
    proof: proof::proof,
    limits: LIMITS,
    ..Identity::UNKNOWN
};

const LIMITS: &[Limit] = &[Limit {
    check: "fork",
    finding: Finding::Hangs,
    reason: "another thread can hold the one lock during a fork, and the child spins on it forever",
}];

/// The crate is the allocator itself.
fn upstream_version(out: &mut dyn fmt::Write) -> fmt::Result {
    write!(out, "talc {}", IDENTITY.crate_version)
}

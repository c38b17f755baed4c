//! Version and limits of dlmalloc. It has no settings at run time, and its heap cannot be reached to trim it.

use std::fmt;

use heapmark_worker::{Finding, Identity, Limit};

use crate::proof;

/// What this backend says of itself.
pub const IDENTITY: Identity = Identity {
    name: "dlmalloc",
    crate_name: "dlmalloc",
    crate_version: "0.2.14",
    licence: "MIT OR Apache-2.0",
    forwards: "alloc,dealloc,realloc,alloc_zeroed",
    upstream_version,
    proof: proof::proof,
    limits: LIMITS,
    ..Identity::UNKNOWN
};

const LIMITS: &[Limit] = &[Limit {
    check: "fork",
    finding: Finding::Hangs,
    reason: "another thread can hold the one lock during a fork, and the child waits for it forever; \
             dlmalloc::enable_alloc_after_fork, which a program has to call itself, prevents that",
}];

/// The port's version is all there is.
fn upstream_version(out: &mut dyn fmt::Write) -> fmt::Result {
    write!(out, "dlmalloc, ported as {} {}", IDENTITY.crate_name, IDENTITY.crate_version)
}

//! Version of sefer-alloc. Its settings are made in the source, and what it counts is for its own tests.

use std::fmt;

use heapmark_worker::Identity;

use crate::proof;

/// What this backend says of itself. Alignments above 4 MiB, the size of a segment, are misaligned; no check asks for them.
pub const IDENTITY: Identity = Identity {
    name: "sefer",
    crate_name: "sefer-alloc",
    crate_version: "0.2.1",
    licence: "MIT OR Apache-2.0",
    forwards: "alloc,dealloc,realloc,alloc_zeroed",
    upstream_version,
    proof: proof::proof,
    ..Identity::UNKNOWN
};

/// The crate is the allocator itself.
fn upstream_version(out: &mut dyn fmt::Write) -> fmt::Result {
    write!(out, "sefer-alloc {}", IDENTITY.crate_version)
}

//! Version, build, statistics and limits of rpmalloc. It has no settings at run time.

use std::fmt;

use heapmark_worker::{Finding, Identity, Limit};
use rpmalloc::RpMalloc;

use crate::proof;

/// What this backend says of itself.
pub const IDENTITY: Identity = Identity {
    name: "rpmalloc",
    crate_name: "rpmalloc",
    crate_version: "0.2.2",
    licence: "(MIT OR Apache-2.0) AND (Unlicense OR MIT)",
    // Growing a block takes another one, copies, and gives the old one back.
    forwards: "alloc,dealloc,alloc_zeroed",
    upstream_version,
    proof: proof::proof,
    // Its assertions are a feature of the crate, which nothing here asks for, and its build script asks for optimisation whatever the profile.
    debug_build: || false,
    native_flags: env!("HEAPMARK_NATIVE_C"),
    statistics: Some(statistics),
    limits: LIMITS,
    ..Identity::UNKNOWN
};

const LIMITS: &[Limit] = &[Limit {
    check: "align/2mib",
    finding: Finding::Refused,
    reason: "alignments from 64 KiB up are refused: a block has to begin in the span of 64 KiB that its header starts",
}];

/// The sources carry no version of their own. The pinned `rpmalloc-sys` has the revision in its version, and the change log that
/// comes with it begins with 1.4.3.
fn upstream_version(out: &mut dyn fmt::Write) -> fmt::Result {
    write!(out, "rpmalloc 1.4.3, revision b097fd0")
}

/// All that is counted without the feature `statistics`, which costs an atomic addition with every call and stays off.
///
/// Not `thread_stats`: the crate's structure has room for 32 sizes of spans, the library fills in 64.
fn statistics(out: &mut dyn fmt::Write) -> fmt::Result {
    write!(out, "{} bytes in the cache that all threads share", RpMalloc::global_stats().cached)
}

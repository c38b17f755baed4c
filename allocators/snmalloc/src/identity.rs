//! Version and build of snmalloc. It has no settings at run time.

use std::fmt;

use heapmark_worker::Identity;
use snmalloc_rs::SnMalloc;

use crate::{assertions, proof};

const NATIVE_FLAGS: &str = env!("HEAPMARK_NATIVE_CXX");

/// What this backend says of itself.
pub const IDENTITY: Identity = Identity {
    name: "snmalloc",
    crate_name: "snmalloc-rs",
    crate_version: "0.7.6",
    licence: "MIT",
    forwards: "alloc,dealloc,realloc,alloc_zeroed",
    upstream_version,
    proof: proof::proof,
    // Where the program cannot be read, the flags it was built with have to do.
    debug_build: || assertions::compiled_in().unwrap_or_else(|_| !NATIVE_FLAGS.contains("-DNDEBUG")),
    native_flags: NATIVE_FLAGS,
    knobs: &[],
    statistics: Some(statistics),
    ..Identity::UNKNOWN
};

/// What snmalloc took from the kernel, in whole chunks. It has no call to ask for giving any of it back.
fn statistics(out: &mut dyn fmt::Write) -> fmt::Result {
    let snmalloc_rs::AllocStats { current_memory_usage, peak_memory_usage } = SnMalloc::memory_stats();
    write!(out, "memory_stats: {current_memory_usage} bytes of chunks, {peak_memory_usage} at the peak")
}

/// The sources carry no version of their own: the crate's is all there is.
fn upstream_version(out: &mut dyn fmt::Write) -> fmt::Result {
    write!(out, "snmalloc of {} {}", IDENTITY.crate_name, IDENTITY.crate_version)
}

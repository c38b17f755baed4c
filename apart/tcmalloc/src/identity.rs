//! Version, build and modes of tcmalloc.

use std::fmt;

use heapmark_worker::{Finding, Identity, Knob, Limit, ReadBack};

use crate::{extension, proof, statistics};

/// What a backend on tcmalloc says of itself as the crate brings it: with caches per thread.
///
/// glibc has registered every thread for restartable sequences by the time that tcmalloc tries, so caches per CPU fail to come about.
pub const IDENTITY: Identity = Identity {
    name: "tcmalloc",
    crate_name: "tcmalloc-better",
    crate_version: "0.1.19",
    licence: "MIT AND Apache-2.0",
    // `realloc` is a feature of the crate, which costs the size in `dealloc`.
    forwards: "alloc,dealloc",
    upstream_version,
    proof: proof::per_thread,
    debug_build: extension::has_assertions,
    native_flags: env!("HEAPMARK_NATIVE_CXX"),
    knobs: &[Knob {
        name: "hpaa_control",
        variable: "TCMALLOC_HPAA_CONTROL",
        template: "{}",
        joiner: None,
        // 1 switches off what 2 switches on (`decide_subrelease`).
        read: ReadBack::Allocator(|out| write!(out, "{}", if extension::subrelease() { 2 } else { 1 })),
    }],
    purge: Some(statistics::purge),
    statistics: Some(statistics::write),
    limits: &[
        Limit {
            check: "fork",
            finding: Finding::Hangs,
            reason: "a child now and then waits for a lock that another thread held when it was forked",
        },
        Limit {
            check: "purge",
            finding: Finding::Retained,
            reason: "ReleaseMemoryToSystem gives back little of what is free between live blocks",
        },
    ],
    ..Identity::UNKNOWN
};

/// What a backend on tcmalloc says of itself with caches per CPU.
pub const PERCPU: Identity = Identity { name: "tcmalloc-percpu", proof: proof::per_cpu, ..IDENTITY };

/// The sources carry no version of their own: the crate's that holds them is all there is.
fn upstream_version(out: &mut dyn fmt::Write) -> fmt::Result {
    let caches = if extension::per_cpu() { "CPU" } else { "thread" };
    write!(out, "tcmalloc of libtcmalloc-sys 0.1.14 (caches per {caches})")
}

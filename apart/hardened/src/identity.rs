//! Version and configurations of `hardened_malloc`. It has no settings at run time.

use std::fmt;

use heapmark_worker::{Finding, Identity, Limit};

use crate::{proof, purge};

/// What a backend on the default configuration says of itself: freed memory is quarantined, and slots are handed out at random.
pub const IDENTITY: Identity = Identity {
    name: "hardened",
    crate_name: "hardened-malloc",
    crate_version: "16.0.2026071503",
    licence: "MIT",
    forwards: "alloc,dealloc,realloc,alloc_zeroed",
    upstream_version,
    proof: proof::default,
    // The library has no assertions that a build could leave in.
    debug_build: || false,
    native_flags: env!("HEAPMARK_NATIVE_C"),
    knobs: &[],
    purge: Some(purge::purge),
    limits: &[Limit {
        check: "exhaustion",
        finding: Finding::Refused,
        reason: "the address space of large blocks that were given back stays in quarantine, and is not had again at the limit",
    }],
    ..Identity::UNKNOWN
};

/// What a backend on the light configuration says of itself, in which the costliest mitigations are left out.
pub const LIGHT: Identity = Identity { name: "hardened-light", proof: proof::light, ..IDENTITY };

/// The sources carry no version of their own: the crate's is all there is.
fn upstream_version(out: &mut dyn fmt::Write) -> fmt::Result {
    write!(out, "hardened_malloc of {} {}", IDENTITY.crate_name, IDENTITY.crate_version)
}

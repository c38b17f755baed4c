//! The proof and the counters of the counting allocator.
#![expect(unsafe_code, reason = "gnu_get_libc_version is a foreign function")]

use std::ffi::CStr;
use std::fmt;

use heapmark_worker::{Counting, Identity, Proof, TestBlock};

use crate::ALLOCATOR;

pub(crate) const IDENTITY: Identity = Identity {
    name: "counting",
    crate_name: "",
    crate_version: "",
    licence: "(MIT OR Apache-2.0) AND LGPL-2.1-or-later",
    forwards: "alloc,dealloc,realloc,alloc_zeroed",
    upstream_version,
    proof,
    debug_build: || false,
    native_flags: "",
    knobs: &[],
    counting: Some(Counting { read: || ALLOCATOR.counters(), reset_peak: || ALLOCATOR.reset_peak() }),
    ..Identity::UNKNOWN
};

fn upstream_version(out: &mut dyn fmt::Write) -> fmt::Result {
    // SAFETY: the function takes nothing and returns a static C string.
    let version = unsafe { CStr::from_ptr(libc::gnu_get_libc_version()) };
    write!(out, "counters over glibc {}", version.to_str().unwrap_or("?"))
}

/// The counters move by a block, exactly, when the program takes one. No other thread is there yet that could move them.
fn proof(_: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    let read = || (ALLOCATOR.counters().calls, ALLOCATOR.counters().requested, ALLOCATOR.live());
    let before = read();
    let block = TestBlock::new();
    let during = read();
    drop(block);
    let after = read();
    let size = TestBlock::SIZE as u64;
    let taken = during == (before.0 + 1, before.1 + size, before.2 + size);
    let given_back = after == (before.0 + 2, before.1 + size, before.2);
    let exact = taken && given_back;
    // The text is for a reader; where it ends early, the answer still stands.
    let _ = write!(out, "the counters {} by a block of {size}", if exact { "move exactly" } else { "do not move" });
    if exact { Proof::Api } else { Proof::None }
}

//! Version and tunables of glibc's malloc.

use std::fmt;

use heapmark_worker::{Identity, Knob, ReadBack};

use crate::build_id::BuildId;
use crate::{glibc, proof};

/// What this backend says of itself.
pub const IDENTITY: Identity = Identity {
    name: "system",
    crate_name: "",
    crate_version: "",
    licence: "LGPL-2.1-or-later",
    forwards: "alloc,dealloc,realloc,alloc_zeroed",
    upstream_version,
    proof: proof::proof,
    debug_build: || false,
    native_flags: "",
    knobs: &[
        tunable("arena_max", "glibc.malloc.arena_max={}"),
        tunable("arena_test", "glibc.malloc.arena_test={}"),
        tunable("hugetlb", "glibc.malloc.hugetlb={}"),
        tunable("mmap_max", "glibc.malloc.mmap_max={}"),
        tunable("mmap_threshold", "glibc.malloc.mmap_threshold={}"),
        tunable("mxfast", "glibc.malloc.mxfast={}"),
        tunable("tcache_count", "glibc.malloc.tcache_count={}"),
        tunable("tcache_max", "glibc.malloc.tcache_max={}"),
        tunable("tcache_unsorted_limit", "glibc.malloc.tcache_unsorted_limit={}"),
        tunable("top_pad", "glibc.malloc.top_pad={}"),
        tunable("trim_threshold", "glibc.malloc.trim_threshold={}"),
    ],
    purge: Some(purge),
    statistics: Some(statistics),
    ..Identity::UNKNOWN
};

/// Under a preloaded library it is that library's `malloc_trim`, if it has one; else glibc's, which then has nothing to give.
fn purge() {
    glibc::trim();
}

/// Nothing under a preloaded library, of which glibc knows nothing.
fn statistics(out: &mut dyn fmt::Write) -> fmt::Result {
    let counter = glibc::Counter::of_glibc().filter(|_| proof::replacement().is_none());
    counter.map_or(Ok(()), |counter| {
        let glibc::Counts { used, mapped, free, .. } = counter.read();
        write!(out, "mallinfo, modulo 4 GiB: {used} bytes used, {mapped} in mappings of their own, {free} free")
    })
}

/// glibc's public interface sets these and never tells them, ignores without a word what it does not know or finds out of
/// range, and its private `__tunable_get_val` goes by numbers that change with each release: so all are unconfirmed. Outside
/// the worker, `ld.so --list-tunables` shows what the same environment leads to.
const fn tunable(name: &'static str, template: &'static str) -> Knob {
    Knob { name, variable: "GLIBC_TUNABLES", template, joiner: Some(":"), read: ReadBack::Environment }
}

/// Of a library that replaces malloc nobody knows how to ask its version; its file's name and its build id tell which it is.
fn upstream_version(out: &mut dyn fmt::Write) -> fmt::Result {
    if let Some(library) = proof::replacement() {
        write!(out, "{}, ", library.name())?;
        if let Some(id) = BuildId::at(glibc::malloc_functions()[0]) {
            write!(out, "build id {id}, ")?;
        }
        write!(out, "over ")?;
    }
    write!(out, "glibc {}", glibc::version())
}

//! Version, options and statistics of `rusty_alloc`.

use std::fmt;

use heapmark_worker::{Identity, Knob, ReadBack};
use rusty_alloc::{alloc, options, stats};

use crate::proof;

/// What this backend says of itself.
pub const IDENTITY: Identity = Identity {
    name: "rusty_alloc",
    crate_name: "rusty_alloc-api",
    crate_version: "2.4.0",
    licence: "MIT",
    forwards: "alloc,dealloc,realloc,alloc_zeroed",
    upstream_version,
    proof: proof::proof,
    knobs: KNOBS,
    // Of the heap of the thread that asks.
    purge: Some(|| alloc::collect(true)),
    statistics: Some(statistics),
    ..Identity::UNKNOWN
};

/// A knob from the option's name and its variable. Where the value has a unit, so has the knob's name.
macro_rules! knob {
    ($option:literal, $variable:literal) => {
        knob!($option, $option, $variable)
    };
    ($name:literal, $option:literal, $variable:literal) => {
        Knob {
            name: $name,
            variable: $variable,
            template: "{}",
            joiner: None,
            read: ReadBack::Allocator(|out| value($option, out)),
        }
    };
}

/// Those that change what is measured. Most of the others are taken and told back, and change nothing: its `options.rs` says which.
const KNOBS: &[Knob] = &[
    knob!("arena_reserve_kib", "arena_reserve", "RUSTY_ALLOC_ARENA_RESERVE"),
    knob!("disallow_arena_alloc", "RUSTY_ALLOC_DISALLOW_ARENA_ALLOC"),
    knob!("generic_collect", "RUSTY_ALLOC_GENERIC_COLLECT"),
    knob!("purge_decommits", "RUSTY_ALLOC_PURGE_DECOMMITS"),
    knob!("purge_delay", "RUSTY_ALLOC_PURGE_DELAY"),
];

/// Writes an option in force, or nothing where this version has none of that name.
fn value(option: &str, out: &mut dyn fmt::Write) -> fmt::Result {
    let index = options::OPTION_NAMES.iter().position(|name| *name == option);
    index.map_or(Ok(()), |index| write!(out, "{}", options::get(index)))
}

/// The version that it is compatible with is numbered like mimalloc's own: `MAJOR * 10,000 + MINOR * 100 + PATCH`.
fn upstream_version(out: &mut dyn fmt::Write) -> fmt::Result {
    let model = rusty_alloc::MI_COMPAT_VERSION;
    let (major, minor, patch) = (model / 10_000, model / 100 % 100, model % 100);
    write!(out, "rusty_alloc {}, after mimalloc {major}.{minor}.{patch}", rusty_alloc::VERSION)
}

/// What release builds count, of the heaps that there are; single blocks are counted in debug builds only.
fn statistics(out: &mut dyn fmt::Write) -> fmt::Result {
    let total = stats::merged();
    let (taken, returned, pages) = (total.segments, total.segments_freed, total.pages_fresh);
    write!(out, "segments: {taken} taken, {returned} given back; pages: {pages} begun")
}

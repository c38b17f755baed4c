//! Version, build and options of mimalloc 2.

use std::fmt;

use heapmark_worker::{Identity, Knob, ReadBack};

use crate::{options, proof, statistics};

/// What this backend says of itself.
pub const IDENTITY: Identity = Identity {
    name: "mimalloc-v2",
    crate_name: "mimalloc",
    crate_version: "0.1.52",
    licence: "MIT",
    forwards: "alloc,dealloc,realloc,alloc_zeroed",
    upstream_version,
    proof: proof::proof,
    debug_build: || options::debug_level() != Some(0),
    native_flags: env!("HEAPMARK_NATIVE_C"),
    knobs: KNOBS,
    purge: Some(statistics::purge),
    statistics: Some(statistics::write),
    ..Identity::UNKNOWN
};

/// A knob of mimalloc's own, from its name and variable. Where `{}` is followed by a unit, so is the knob's name.
macro_rules! knob {
    ($option:literal, $variable:literal) => {
        knob!($option, $option, $variable, "{}")
    };
    ($name:literal, $option:literal, $variable:literal, $template:literal) => {
        Knob {
            name: $name,
            variable: $variable,
            template: $template,
            joiner: None,
            read: ReadBack::Allocator(|out| value($option, out)),
        }
    };
}

const KNOBS: &[Knob] = &[
    knob!("abandoned_page_purge", "MIMALLOC_ABANDONED_PAGE_PURGE"),
    knob!("abandoned_reclaim_on_free", "MIMALLOC_ABANDONED_RECLAIM_ON_FREE"),
    knob!("allow_large_os_pages", "MIMALLOC_ALLOW_LARGE_OS_PAGES"),
    knob!("allow_thp", "MIMALLOC_ALLOW_THP"),
    knob!("arena_eager_commit", "MIMALLOC_ARENA_EAGER_COMMIT"),
    knob!("arena_purge_mult", "MIMALLOC_ARENA_PURGE_MULT"),
    knob!("arena_reserve_kib", "arena_reserve", "MIMALLOC_ARENA_RESERVE", "{}KiB"),
    knob!("disallow_arena_alloc", "MIMALLOC_DISALLOW_ARENA_ALLOC"),
    knob!("eager_commit", "MIMALLOC_EAGER_COMMIT"),
    knob!("eager_commit_delay", "MIMALLOC_EAGER_COMMIT_DELAY"),
    knob!("generic_collect", "MIMALLOC_GENERIC_COLLECT"),
    knob!("max_segment_reclaim", "MIMALLOC_MAX_SEGMENT_RECLAIM"),
    knob!("purge_decommits", "MIMALLOC_PURGE_DECOMMITS"),
    knob!("purge_delay", "MIMALLOC_PURGE_DELAY"),
    knob!("purge_extend_delay", "MIMALLOC_PURGE_EXTEND_DELAY"),
    knob!("reserve_huge_os_pages", "MIMALLOC_RESERVE_HUGE_OS_PAGES"),
    knob!("target_segments_per_thread", "MIMALLOC_TARGET_SEGMENTS_PER_THREAD"),
];

/// Writes an option in force, or nothing where this version has none of that name.
fn value(option: &'static str, out: &mut dyn fmt::Write) -> fmt::Result {
    options::option(option).map_or(Ok(()), |value| write!(out, "{value}"))
}

fn upstream_version(out: &mut dyn fmt::Write) -> fmt::Result {
    let version = options::version();
    write!(out, "mimalloc {}.{}.{}", version / 10_000, version / 100 % 100, version % 100)?;
    // A secure build is another contender, whatever made it one.
    match options::secure_level() {
        Some(0) | None => Ok(()),
        Some(level) => write!(out, " (secure {level})"),
    }
}

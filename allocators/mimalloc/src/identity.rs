//! Version, build and options of mimalloc.
#![expect(unsafe_code, reason = "mi_collect and mi_process_info are foreign functions")]

use std::fmt;

use heapmark_worker::{Identity, Knob, ReadBack};

use crate::{options, proof};

/// What this backend says of itself.
pub const IDENTITY: Identity = Identity {
    name: "mimalloc",
    crate_name: "mimalloc",
    crate_version: "0.1.52",
    licence: "MIT",
    forwards: "alloc,dealloc,realloc,alloc_zeroed",
    upstream_version,
    proof: proof::proof,
    debug_build: || options::debug_level() != Some(0),
    native_flags: env!("HEAPMARK_NATIVE_C"),
    knobs: KNOBS,
    purge: Some(purge),
    statistics: Some(statistics),
    ..Identity::UNKNOWN
};

/// What a backend says whose mimalloc was built with the feature `secure`.
pub const SECURE: Identity = Identity { name: "mimalloc-secure", proof: proof::secure, ..IDENTITY };

/// Collects the heap of this thread and what other threads have left, and gives free memory back at once, whatever
/// `purge_delay` says.
fn purge() {
    // SAFETY: the function takes a flag; live blocks stay where they are.
    unsafe { libmimalloc_sys::mi_collect(true) };
}

/// Memory as mimalloc counts it. It can tell much more in its own format (`mi_stats_print`).
fn statistics(out: &mut dyn fmt::Write) -> fmt::Result {
    let [mut commit, mut peak_commit] = [0_usize; 2];
    let mut others = [0_usize; 6];
    let [elapsed, user, system, rss, peak_rss, faults] = others.each_mut().map(std::ptr::from_mut);
    // SAFETY: every pointer is to a number of its own, and the function writes one to each.
    unsafe {
        libmimalloc_sys::mi_process_info(
            elapsed,
            user,
            system,
            rss,
            peak_rss,
            &raw mut commit,
            &raw mut peak_commit,
            faults,
        );
    }
    write!(out, "mi_process_info: {commit} bytes committed, {peak_commit} at the peak")
}

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
    knob!("allow_large_os_pages", "MIMALLOC_ALLOW_LARGE_OS_PAGES"),
    knob!("allow_thp", "MIMALLOC_ALLOW_THP"),
    knob!("arena_eager_commit", "MIMALLOC_ARENA_EAGER_COMMIT"),
    knob!("arena_purge_mult", "MIMALLOC_ARENA_PURGE_MULT"),
    knob!("arena_reserve_kib", "arena_reserve", "MIMALLOC_ARENA_RESERVE", "{}KiB"),
    knob!("disallow_arena_alloc", "MIMALLOC_DISALLOW_ARENA_ALLOC"),
    knob!("generic_collect", "MIMALLOC_GENERIC_COLLECT"),
    knob!("minimal_purge_size_kib", "minimal_purge_size", "MIMALLOC_MINIMAL_PURGE_SIZE", "{}KiB"),
    knob!("page_commit_on_demand", "MIMALLOC_PAGE_COMMIT_ON_DEMAND"),
    knob!("page_cross_thread_max_reclaim", "MIMALLOC_PAGE_CROSS_THREAD_MAX_RECLAIM"),
    knob!("page_full_retain", "MIMALLOC_PAGE_FULL_RETAIN"),
    knob!("page_max_candidates", "MIMALLOC_PAGE_MAX_CANDIDATES"),
    knob!("page_max_reclaim", "MIMALLOC_PAGE_MAX_RECLAIM"),
    knob!("page_reclaim_on_free", "MIMALLOC_PAGE_RECLAIM_ON_FREE"),
    knob!("purge_decommits", "MIMALLOC_PURGE_DECOMMITS"),
    knob!("purge_delay", "MIMALLOC_PURGE_DELAY"),
    knob!("reserve_huge_os_pages", "MIMALLOC_RESERVE_HUGE_OS_PAGES"),
];

/// Writes an option in force, or nothing where this version has none of that name.
fn value(option: &str, out: &mut dyn fmt::Write) -> fmt::Result {
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

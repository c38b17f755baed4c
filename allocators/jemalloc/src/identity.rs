//! Version, build and options of jemalloc.

use std::fmt;

use heapmark_worker::{Identity, Knob, ReadBack};

use crate::{mallctl, proof};

/// What this backend says of itself.
pub const IDENTITY: Identity = Identity {
    name: "jemalloc",
    crate_name: "tikv-jemallocator",
    crate_version: "0.7.0",
    licence: "(MIT OR Apache-2.0) AND BSD-2-Clause",
    forwards: "alloc,dealloc,realloc,alloc_zeroed",
    upstream_version,
    proof: proof::proof,
    debug_build: || mallctl::flag(c"config.debug") != Some(false),
    native_flags: env!("HEAPMARK_NATIVE_C"),
    knobs: KNOBS,
    purge: Some(purge),
    statistics: Some(statistics),
    ..Identity::UNKNOWN
};

/// Empties the cache of this thread and purges all arenas, for which 4096 stands (`MALLCTL_ARENAS_ALL`).
fn purge() {
    // Without a cache there is none to empty.
    mallctl::command(c"thread.tcache.flush");
    mallctl::command(c"arena.4096.purge");
}

fn statistics(out: &mut dyn fmt::Write) -> fmt::Result {
    mallctl::refresh();
    let counts = [
        ("allocated", c"stats.allocated"),
        ("active", c"stats.active"),
        ("metadata", c"stats.metadata"),
        ("resident", c"stats.resident"),
        ("mapped", c"stats.mapped"),
        ("retained", c"stats.retained"),
    ];
    write!(out, "mallctl stats in bytes")?;
    for (name, value) in counts {
        if let Some(bytes) = mallctl::size(value) {
            write!(out, ", {name} {bytes}")?;
        }
    }
    Ok(())
}

/// A knob from its name and the value that tells what is in force, with that value's type.
///
/// The crate prefixes jemalloc's symbols and with them its variable: plain `MALLOC_CONF` is not read.
macro_rules! knob {
    ($name:literal, $type:ident $value:literal) => {
        knob!($name, $name, $type $value)
    };
    ($name:literal, $option:literal, $type:ident $value:literal) => {
        Knob {
            name: $name,
            variable: "_RJEM_MALLOC_CONF",
            template: concat!($option, ":{}"),
            joiner: Some(","),
            read: ReadBack::Allocator(|out| show(mallctl::$type($value), out)),
        }
    };
}

const KNOBS: &[Knob] = &[
    // Not opt.background_thread, which holds what was asked for.
    knob!("background_thread", flag c"background_thread"),
    knob!("cache_oblivious", flag c"opt.cache_oblivious"),
    knob!("dirty_decay_ms", signed_size c"opt.dirty_decay_ms"),
    knob!("hpa", flag c"opt.hpa"),
    knob!("lg_tcache_nslots_mul", signed_size c"opt.lg_tcache_nslots_mul"),
    knob!("max_background_threads", size c"opt.max_background_threads"),
    knob!("metadata_thp", text c"opt.metadata_thp"),
    knob!("muzzy_decay_ms", signed_size c"opt.muzzy_decay_ms"),
    knob!("narenas", unsigned c"opt.narenas"),
    // Not by its own name, which is the harness's knob for the huge pages of any process.
    knob!("opt_thp", "thp", text c"opt.thp"),
    knob!("oversize_threshold", size c"opt.oversize_threshold"),
    knob!("percpu_arena", text c"opt.percpu_arena"),
    knob!("retain", flag c"opt.retain"),
    knob!("tcache", flag c"opt.tcache"),
    knob!("tcache_max", size c"opt.tcache_max"),
];

/// Writes a value as jemalloc would take it, or nothing where this build has none of that name.
fn show<T: fmt::Display>(value: Option<T>, out: &mut dyn fmt::Write) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(out, "{value}"))
}

fn upstream_version(out: &mut dyn fmt::Write) -> fmt::Result {
    write!(out, "jemalloc {}", mallctl::text(c"version").unwrap_or("?"))?;
    // Options that were compiled in, through JEMALLOC_SYS_WITH_MALLOC_CONF, make another contender.
    match mallctl::text(c"config.malloc_conf") {
        None | Some("") => Ok(()),
        Some(built_in) => write!(out, " ({built_in})"),
    }
}

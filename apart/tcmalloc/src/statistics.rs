//! What tcmalloc can be told to give back, and what it counts of itself.

use std::fmt;

use crate::extension;

/// Gives free memory back to the kernel.
pub(crate) fn purge() {
    extension::release();
}

/// Writes how much is in use, and how much of the heap is free.
pub(crate) fn write(out: &mut dyn fmt::Write) -> fmt::Result {
    let property = |name| extension::property(name).unwrap_or_default();
    write!(
        out,
        "in use {} bytes, of a heap of {}; free in pages {}, in caches of threads {}, of CPUs {}",
        property("generic.current_allocated_bytes"),
        property("generic.heap_size"),
        property("tcmalloc.pageheap_free_bytes"),
        property("tcmalloc.thread_cache_free"),
        property("tcmalloc.cpu_free"),
    )
}

//! jemalloc: Jason Evans' allocator of arenas and thread caches, through the crate that TiKV maintains.
mod identity;
mod mallctl;
mod proof;
heapmark_worker::worker!(
    tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc,
    identity::IDENTITY,
    heapmark_workloads::CATALOGUE
);

//! jemalloc: arenas with thread caches in front of them, begun by Jason Evans; through the crate of the `tikv` project.
mod identity;
mod mallctl;
mod proof;
heapmark_worker::worker!(
    tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc,
    identity::IDENTITY,
    heapmark_workloads::CATALOGUE
);

//! The system allocator with exact counters: says what a workload asks of an allocator, and is never compared itself.
mod identity;
heapmark_worker::worker!(
    heapmark_counting::Counted<std::alloc::System> = heapmark_counting::Counted::new(std::alloc::System),
    identity::IDENTITY,
    heapmark_workloads::CATALOGUE
);

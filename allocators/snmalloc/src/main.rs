//! snmalloc: Microsoft Research's allocator that sends freed blocks back to their owner in messages.
mod assertions;
mod identity;
mod proof;
heapmark_worker::worker!(
    snmalloc_rs::SnMalloc = snmalloc_rs::SnMalloc,
    identity::IDENTITY,
    heapmark_workloads::CATALOGUE
);

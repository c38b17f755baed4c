//! mimalloc, version 3: Microsoft's allocator of sharded free lists.
mod identity;
mod options;
mod proof;
heapmark_worker::worker!(mimalloc::MiMalloc = mimalloc::MiMalloc, identity::IDENTITY, heapmark_workloads::CATALOGUE);

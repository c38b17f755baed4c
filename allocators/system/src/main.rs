//! The system allocator: what a Rust program uses unless it says otherwise. On Linux, glibc's malloc.
mod glibc;
mod identity;
mod proof;
heapmark_worker::worker!(std::alloc::System = std::alloc::System, identity::IDENTITY, heapmark_workloads::CATALOGUE);

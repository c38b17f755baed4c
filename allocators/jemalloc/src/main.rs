//! The worker of the standard workloads.
use heapmark_jemalloc::{IDENTITY, Jemalloc};
heapmark_worker::worker!(Jemalloc = Jemalloc, IDENTITY, heapmark_workloads::CATALOGUE);

//! The worker of the standard workloads.
use heapmark_rusty_alloc::{IDENTITY, RustyAlloc};
heapmark_worker::worker!(RustyAlloc = RustyAlloc, IDENTITY, heapmark_workloads::CATALOGUE);

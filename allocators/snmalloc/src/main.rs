//! The worker of the standard workloads.
use heapmark_snmalloc::{IDENTITY, SnMalloc};
heapmark_worker::worker!(SnMalloc = SnMalloc, IDENTITY, heapmark_workloads::CATALOGUE);

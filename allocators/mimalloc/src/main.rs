//! The worker of the standard workloads.
use heapmark_mimalloc::{IDENTITY, MiMalloc};
heapmark_worker::worker!(MiMalloc = MiMalloc, IDENTITY, heapmark_workloads::CATALOGUE);

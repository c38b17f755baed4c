//! The worker of the standard workloads.
use heapmark_mimalloc_v2::{IDENTITY, MiMalloc};
heapmark_worker::worker!(MiMalloc = MiMalloc, IDENTITY, heapmark_workloads::CATALOGUE);

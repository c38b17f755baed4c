//! The worker of the standard workloads.
use heapmark_mimalloc::{MiMalloc, SECURE};
heapmark_worker::worker!(MiMalloc = MiMalloc, SECURE, heapmark_workloads::CATALOGUE);

//! The worker of the standard workloads.
use heapmark_sefer::{IDENTITY, SeferAlloc};
heapmark_worker::worker!(SeferAlloc = SeferAlloc::new(), IDENTITY, heapmark_workloads::CATALOGUE);

//! The worker of the standard workloads.
use heapmark_hardened::{HardenedMalloc, IDENTITY};
heapmark_worker::worker!(HardenedMalloc = HardenedMalloc, IDENTITY, heapmark_workloads::CATALOGUE);

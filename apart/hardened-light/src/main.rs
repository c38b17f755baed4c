//! The worker of the standard workloads.
use heapmark_hardened::{HardenedMalloc, LIGHT};
heapmark_worker::worker!(HardenedMalloc = HardenedMalloc, LIGHT, heapmark_workloads::CATALOGUE);

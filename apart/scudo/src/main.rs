//! The worker of the standard workloads.
use heapmark_scudo::{GlobalScudoAllocator, IDENTITY};
heapmark_worker::worker!(GlobalScudoAllocator = GlobalScudoAllocator, IDENTITY, heapmark_workloads::CATALOGUE);

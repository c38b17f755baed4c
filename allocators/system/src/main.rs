//! The worker of the standard workloads.
use heapmark_system::{IDENTITY, System};
heapmark_worker::worker!(System = System, IDENTITY, heapmark_workloads::CATALOGUE);

//! The own workload on system.
use heapmark_system::{IDENTITY, System};
heapmark_worker::worker!(System = System, IDENTITY, own_workload::CATALOGUE);

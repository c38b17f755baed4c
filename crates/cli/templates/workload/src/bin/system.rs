//! The workload on the system allocator.
use heapmark_system::{IDENTITY, System};
heapmark_worker::worker!(System = System, IDENTITY, my_workload::CATALOGUE);

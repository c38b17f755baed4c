//! The workload on mimalloc.
use heapmark_mimalloc::{IDENTITY, MiMalloc};
heapmark_worker::worker!(MiMalloc = MiMalloc, IDENTITY, my_workload::CATALOGUE);

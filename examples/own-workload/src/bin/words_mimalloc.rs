//! The own workload on mimalloc.
use heapmark_mimalloc::{IDENTITY, MiMalloc};
heapmark_worker::worker!(MiMalloc = MiMalloc, IDENTITY, own_workload::CATALOGUE);

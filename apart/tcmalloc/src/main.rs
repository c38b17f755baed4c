//! The worker of the standard workloads, with caches per thread.
use heapmark_tcmalloc::{IDENTITY, TCMalloc};
heapmark_worker::worker!(TCMalloc = TCMalloc, IDENTITY, heapmark_workloads::CATALOGUE);

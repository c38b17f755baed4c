//! The worker of the standard workloads, with caches per CPU.

mod rseq;

use heapmark_tcmalloc::{PERCPU, TCMalloc};
heapmark_worker::worker!(TCMalloc = TCMalloc, PERCPU, heapmark_workloads::CATALOGUE);

//! The worker of the standard workloads.
use heapmark_rpmalloc::{IDENTITY, RpMalloc};
heapmark_worker::worker!(RpMalloc = RpMalloc, IDENTITY, heapmark_workloads::CATALOGUE);

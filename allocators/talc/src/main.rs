//! The worker of the standard workloads.
use heapmark_talc::{IDENTITY, Talc};
heapmark_worker::worker!(Talc = Talc, IDENTITY, heapmark_workloads::CATALOGUE);

//! The worker of the standard workloads.
use heapmark_rlsf::{IDENTITY, Tlsf};
heapmark_worker::worker!(Tlsf = Tlsf, IDENTITY, heapmark_workloads::CATALOGUE);

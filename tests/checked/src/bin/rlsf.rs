//! The workloads over a checked rlsf.
use heapmark_rlsf::{IDENTITY, Tlsf};
heapmark_checking::program!(Tlsf = Tlsf, IDENTITY);

//! The workloads over a checked talc.
use heapmark_talc::{IDENTITY, Talc};
heapmark_checking::program!(Talc = Talc, IDENTITY);

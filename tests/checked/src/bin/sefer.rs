//! The workloads over a checked sefer-alloc.
use heapmark_sefer::{IDENTITY, SeferAlloc};
heapmark_checking::program!(SeferAlloc = SeferAlloc::new(), IDENTITY);

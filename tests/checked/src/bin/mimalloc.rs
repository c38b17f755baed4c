//! The workloads over a checked mimalloc.
use heapmark_mimalloc::{IDENTITY, MiMalloc};
heapmark_checking::program!(MiMalloc = MiMalloc, IDENTITY);

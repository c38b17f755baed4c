//! The workloads over a checked jemalloc.
use heapmark_jemalloc::{IDENTITY, Jemalloc};
heapmark_checking::program!(Jemalloc = Jemalloc, IDENTITY);

//! The workloads over a checked snmalloc.
use heapmark_snmalloc::{IDENTITY, SnMalloc};
heapmark_checking::program!(SnMalloc = SnMalloc, IDENTITY);

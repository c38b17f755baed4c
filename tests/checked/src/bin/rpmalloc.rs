//! The workloads over a checked rpmalloc.
use heapmark_rpmalloc::{IDENTITY, RpMalloc};
heapmark_checking::program!(RpMalloc = RpMalloc, IDENTITY);

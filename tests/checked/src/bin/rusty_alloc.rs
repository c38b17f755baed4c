//! The workloads over a checked `rusty_alloc`.
use heapmark_rusty_alloc::{IDENTITY, RustyAlloc};
heapmark_checking::program!(RustyAlloc = RustyAlloc, IDENTITY);

//! The workloads over a checked system allocator.
use heapmark_system::{IDENTITY, System};
heapmark_checking::program!(System = System, IDENTITY);

//! The workloads over a checked dlmalloc.
use heapmark_dlmalloc::{GlobalDlmalloc, IDENTITY};
heapmark_checking::program!(GlobalDlmalloc = GlobalDlmalloc, IDENTITY);

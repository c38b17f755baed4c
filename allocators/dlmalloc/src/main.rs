//! The worker of the standard workloads.
use heapmark_dlmalloc::{GlobalDlmalloc, IDENTITY};
heapmark_worker::worker!(GlobalDlmalloc = GlobalDlmalloc, IDENTITY, heapmark_workloads::CATALOGUE);

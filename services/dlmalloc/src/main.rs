//! The worker of the family `service`.
use heapmark_dlmalloc::{GlobalDlmalloc, IDENTITY};
heapmark_worker::worker!(GlobalDlmalloc = GlobalDlmalloc, IDENTITY, heapmark_service::CATALOGUE);

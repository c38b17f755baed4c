//! The worker of the family `service`.
use heapmark_snmalloc::{IDENTITY, SnMalloc};
heapmark_worker::worker!(SnMalloc = SnMalloc, IDENTITY, heapmark_service::CATALOGUE);

//! The worker of the family `service`.
use heapmark_jemalloc::{IDENTITY, Jemalloc};
heapmark_worker::worker!(Jemalloc = Jemalloc, IDENTITY, heapmark_service::CATALOGUE);

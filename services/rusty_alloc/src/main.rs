//! The worker of the family `service`.
use heapmark_rusty_alloc::{IDENTITY, RustyAlloc};
heapmark_worker::worker!(RustyAlloc = RustyAlloc, IDENTITY, heapmark_service::CATALOGUE);

//! The worker of the family `service`.
use heapmark_rpmalloc::{IDENTITY, RpMalloc};
heapmark_worker::worker!(RpMalloc = RpMalloc, IDENTITY, heapmark_service::CATALOGUE);

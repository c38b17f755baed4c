//! The worker of the family `service`.
use heapmark_mimalloc::{IDENTITY, MiMalloc};
heapmark_worker::worker!(MiMalloc = MiMalloc, IDENTITY, heapmark_service::CATALOGUE);

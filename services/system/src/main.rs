//! The worker of the family `service`.
use heapmark_system::{IDENTITY, System};
heapmark_worker::worker!(System = System, IDENTITY, heapmark_service::CATALOGUE);

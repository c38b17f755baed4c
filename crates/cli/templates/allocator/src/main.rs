//! The worker: the standard workloads on the allocator of this crate.
mod allocator;
mod identity;

use allocator::FreeLists;
use heapmark_workloads::CATALOGUE;
use identity::IDENTITY;

heapmark_worker::worker!(FreeLists = FreeLists::new(), IDENTITY, CATALOGUE);

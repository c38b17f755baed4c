//! Has a workload, but not the one that the others have.
use heapmark_tests::{CATALOGUE, Touch};
use heapmark_worker::Catalogue;

heapmark_tests::worker!(catalogue: Catalogue { workloads: &[&Touch], ..CATALOGUE });

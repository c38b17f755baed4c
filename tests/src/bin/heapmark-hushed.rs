//! Sound, and its allocator ends the process where anybody calls it in a quiet time.
use heapmark_tests::heapmark_worker::Catalogue;
use heapmark_tests::{CATALOGUE, Hushed, IDENTITY, Rests};

heapmark_tests::worker!(Hushed = Hushed, IDENTITY, Catalogue { workloads: &[&Rests], ..CATALOGUE });

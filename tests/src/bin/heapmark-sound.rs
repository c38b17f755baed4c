//! A worker without a fault, on the system allocator.
heapmark_tests::worker!(identity: heapmark_tests::IDENTITY);

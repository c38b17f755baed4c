//! Its allocator keeps far more than it is asked for.
use heapmark_tests::Hoarder;

heapmark_tests::worker!(Hoarder = Hoarder::new());

//! Its allocator deadlocks at the first call.
use heapmark_tests::{Moment, Sabotaged, deadlock};

heapmark_tests::worker!(Sabotaged = Sabotaged::at(Moment::FirstAllocation, deadlock));

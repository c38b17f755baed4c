//! Its allocator deadlocks in the middle of the work.
use heapmark_tests::{Moment, Sabotaged, deadlock};

heapmark_tests::worker!(Sabotaged = Sabotaged::at(Moment::Work, deadlock));

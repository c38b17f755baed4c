//! Its allocator writes where it may not, in the middle of the work.
use heapmark_tests::{Moment, Sabotaged, crash};

heapmark_tests::worker!(Sabotaged = Sabotaged::at(Moment::Work, crash));

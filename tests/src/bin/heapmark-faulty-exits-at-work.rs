//! Its allocator exits in the middle of the work.
use heapmark_tests::{Moment, Sabotaged, exit};

heapmark_tests::worker!(Sabotaged = Sabotaged::at(Moment::Work, exit));

//! Its allocator aborts in the middle of the work.
use heapmark_tests::{Moment, Sabotaged, abort};

heapmark_tests::worker!(Sabotaged = Sabotaged::at(Moment::Work, abort));

//! Its allocator aborts at the first call.
use heapmark_tests::{Moment, Sabotaged, abort};

heapmark_tests::worker!(Sabotaged = Sabotaged::at(Moment::FirstAllocation, abort));

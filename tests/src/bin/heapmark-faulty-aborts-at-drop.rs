//! Its allocator aborts when what the work has kept is dropped.
use heapmark_tests::{Moment, Sabotaged, abort};

heapmark_tests::worker!(Sabotaged = Sabotaged::at(Moment::Drop, abort));

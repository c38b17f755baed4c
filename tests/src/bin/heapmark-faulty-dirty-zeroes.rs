//! Its allocator hands out memory that is not zero where it must be, so that the result is wrong.
use heapmark_tests::DirtyZeroes;

heapmark_tests::worker!(DirtyZeroes = DirtyZeroes);

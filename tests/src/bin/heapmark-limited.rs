//! Its allocator aborts at a block of one size, and it says so; and it names a limit that it does not have.
use heapmark_tests::{IDENTITY, Moment, Sabotaged, abort};
use heapmark_worker::{Finding, Identity, Limit};

const LIMITS: &[Limit] = &[
    Limit { check: "sizes", finding: Finding::Aborts, reason: "from 4242 bytes on" },
    Limit { check: "align/page", finding: Finding::Refused, reason: "from 512 on" },
    Limit { check: "realloc", finding: Finding::Corrupt, reason: "the last byte" },
];

heapmark_tests::worker!(
    Sabotaged = Sabotaged::at(Moment::Work, abort),
    Identity { limits: LIMITS, ..IDENTITY },
    heapmark_tests::CATALOGUE
);

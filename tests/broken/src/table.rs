//! All faults.

use std::alloc::System;

use heapmark_worker::Finding;

use crate::fault::Fault;
use crate::faults::{
    ABORTS_AT_EXHAUSTION, ALIGNS_BY_SIZE, ALIGNS_LARGE_TO_16, ALIGNS_TO_64, ALIGNS_TO_PAGE, AbortsOnAlignedFree,
    BOUNDED_INBOX, CACHES_TWICE, CLASS_OFF_BY_ONE, CLEARS_NOTHING, CLEARS_ONE_PAGE, CLEARS_UNALIGNED,
    CLEARS_WHOLE_WORDS, CutsAtPageEdge, DISCARDS_ONE_PAGE_MORE, DiscardsNewEnd, FreesAtExhaustion, GROWS_IN_PLACE,
    GoneInDestructors, HANGS_AT_EXHAUSTION, HEAP_IS_WIPED, HEAP_STAYS_BEHIND, HalvesRemoteBlocks, KEEPS_ALIGNED,
    KEEPS_LARGE, KEEPS_OLD, KEEPS_SMALL, LINKS_INTO_NEIGHBOUR, LOCKS_OVER_FORK, LOSES_LARGE_REMOTE_FREES,
    LOSES_ORPHANS, LOSES_REMOTE_FREES, LOSES_TAIL, LeaksPerThread, NEVER_RECOVERS, ONE_BYTE_SHORT, OnImpossible,
    PASSES_REGION_ON, PURGED_WHOLE, REALLOC_FORGETS_ALIGNMENT, ROUNDS_TO_PAGES, RefusesAlignment, SIXTEEN_BITS,
    SMALL_CLASS, SPLITS_TOO_EARLY, TAGS_WHEN_FREED, TAGS_WHEN_TAKEN, TAKES_CACHED_FOR_FRESH, TWO_LOCKS, ThirtyTwoBits,
    UNLOCKED_STACK, UNMAPS_REGION, WAITS_FOR_BLOCKS, ZEROED_FORGETS_ALIGNMENT, discard_live, free_and_fail, keep_all,
};
use crate::parts::{abort, hang};

use Finding::{Aborts, Corrupt, Dirty, Granted, Hangs, Leaks, Misaligned, Overlap, Refused, Retained};

/// Every fault, with what must find it.
pub static FAULTS: &[Fault] = &[
    Fault::new(
        "align-over-64",
        ("align/page", Misaligned),
        &ALIGNS_TO_64,
        "keeps alignments up to 64, and none above",
        "mimalloc 2.0.9, whose `posix_memalign` misses 256, 512 and 1,024",
    ),
    Fault::new(
        "align-by-size",
        ("align/page", Misaligned),
        &ALIGNS_BY_SIZE,
        "aligns a block that is smaller than its alignment by its size",
        "wrappers that take malloc's alignment for granted where small size classes have less",
    ),
    Fault::new(
        "align-large",
        ("align/page", Misaligned),
        &ALIGNS_LARGE_TO_16,
        "aligns blocks of 128 KiB and more to 16",
        "mappings with a header in front, handed out where more than 16 was asked for",
    ),
    Fault::new(
        "align-realloc",
        ("align/page", Misaligned),
        &REALLOC_FORGETS_ALIGNMENT,
        "resizes to an alignment of 16",
        "wrappers that pass aligned blocks to C's `realloc`, which knows no alignment",
    ),
    Fault::new(
        "align-zeroed",
        ("align/page", Misaligned),
        &ZEROED_FORGETS_ALIGNMENT,
        "takes zeroed memory at an alignment of 16",
        "wrappers that take zeroed memory from C's `calloc`, which knows no alignment",
    ),
    Fault::new(
        "align-over-page",
        ("align/2mib", Misaligned),
        &ALIGNS_TO_PAGE,
        "keeps alignments up to 4,096, and none above",
        "allocators that round mappings to pages and go no further, such as compatmalloc",
    ),
    Fault::new(
        "align-refused",
        ("align/2mib", Refused),
        &RefusesAlignment,
        "refuses alignments from 64 KiB on",
        "rpmalloc, whose spans are of 64 KiB",
    ),
    Fault::new(
        "align-free-aborts",
        ("align/2mib", Aborts),
        &AbortsOnAlignedFree,
        "grants an alignment of 2 MiB, and aborts when such a block is freed",
        "scudo, which calls it an invalid sized delete",
    ),
    Fault::new(
        "dirty-reused",
        ("zeroed", Dirty),
        &CLEARS_NOTHING,
        "clears no memory: only what is fresh from the kernel is zero",
        "an `alloc_zeroed` that is forwarded to malloc",
    ),
    Fault::new(
        "dirty-beyond-page",
        ("zeroed", Dirty),
        &CLEARS_ONE_PAGE,
        "clears the first page of a block",
        "clearing page by page with a loop that ends early",
    ),
    Fault::new(
        "dirty-last-bytes",
        ("zeroed", Dirty),
        &CLEARS_WHOLE_WORDS,
        "clears whole words, so that up to seven bytes at the end stay",
        "clearing by words, with the size rounded down",
    ),
    Fault::new(
        "dirty-large",
        ("zeroed", Dirty),
        &TAKES_CACHED_FOR_FRESH,
        "does not clear a large block from its cache",
        "a mark for fresh pages that stays when they have been used",
    ),
    Fault::new(
        "dirty-aligned",
        ("zeroed", Dirty),
        &CLEARS_UNALIGNED,
        "does not clear blocks of an alignment above 16",
        "a path for aligned blocks without the flag for zeroed ones",
    ),
    Fault::new(
        "realloc-loses-tail",
        ("realloc", Corrupt),
        &LOSES_TAIL,
        "copies half of a block that moves",
        "copying by a wrong size, such as that of the class below",
    ),
    Fault::new(
        "realloc-one-short",
        ("realloc", Corrupt),
        &ONE_BYTE_SHORT,
        "copies all of a block that moves but its last byte",
        "room for a canary taken off where there is none",
    ),
    Fault::new(
        "realloc-16-bit",
        ("realloc", Corrupt),
        &SIXTEEN_BITS,
        "copies the size modulo 65,536",
        "a length kept in too narrow a type",
    ),
    Fault::new(
        "realloc-in-place",
        ("realloc", Corrupt),
        &GROWS_IN_PLACE,
        "grows blocks in place by eight bytes more than there is room for",
        "a usable size that includes the next block's header",
    ),
    Fault::new(
        "realloc-discards",
        ("realloc", Corrupt),
        &DiscardsNewEnd,
        "gives the page that holds the new end of a shrunk block to the kernel",
        "a range of pages rounded outwards instead of inwards",
    ),
    Fault::new(
        "realloc-leaks",
        ("reuse", Leaks),
        &KEEPS_OLD,
        "does not free the old block when one moves",
        "a slow path that forgets the last step",
    ),
    Fault::new(
        "overlap-twice",
        ("overlap", Overlap),
        &CACHES_TWICE,
        "puts every sixteenth freed block into its cache twice",
        "a cache that two paths of free fill with the same block",
    ),
    Fault::new(
        "overlap-split",
        ("overlap", Overlap),
        &SPLITS_TOO_EARLY,
        "cuts every eighth block off sixteen bytes too early",
        "splitting by a size that lacks the header",
    ),
    Fault::new(
        "overlap-discard",
        ("overlap", Corrupt),
        &DISCARDS_ONE_PAGE_MORE,
        "gives the pages of a freed block back to the kernel, and one of its neighbour's",
        "a range of pages that includes its end",
    ),
    Fault::new(
        "overlap-header",
        ("sizes", Corrupt),
        &TAGS_WHEN_TAKEN,
        "writes eight bytes in front of a block that is taken, where another one ends",
        "a header without room for it",
    ),
    Fault::new(
        "overlap-footer",
        ("sizes", Corrupt),
        &TAGS_WHEN_FREED,
        "writes eight bytes in front of a block that is freed, where another one ends",
        "boundary tags, whose place in a neighbour is free only if the neighbour is",
    ),
    Fault::new(
        "class-small",
        ("sizes", Overlap),
        &SMALL_CLASS,
        "has slots of 624 bytes for 513 to 640",
        "one wrong entry in the table of size classes",
    ),
    Fault::new(
        "class-off-by-one",
        ("sizes", Overlap),
        &CLASS_OFF_BY_ONE,
        "puts 769 bytes into a slot of 768",
        "`<=` for `<` in the choice of the class",
    ),
    Fault::new(
        "class-page",
        ("sizes", Overlap),
        &ROUNDS_TO_PAGES,
        "puts one byte more than 64 KiB into 64 KiB",
        "rounding down to pages where a size is one byte too long",
    ),
    Fault::new(
        "page-edge",
        ("sizes", Aborts),
        &CutsAtPageEdge,
        "cuts the last bytes off blocks that end up to eight bytes behind a page",
        "rounding down to pages, with a guard page behind the block",
    ),
    Fault::new(
        "unlocked",
        ("contention", Corrupt),
        &UNLOCKED_STACK,
        "takes freed blocks from a stack without a lock",
        "a lock forgotten on the fast path",
    ),
    Fault::new(
        "deadlock",
        ("contention", Hangs),
        &TWO_LOCKS,
        "takes two locks in one order to allocate and in the other to free",
        "locks of a heap and of a list without an order",
    ),
    Fault::new(
        "remote-lost",
        ("remote-free", Leaks),
        &LOSES_REMOTE_FREES,
        "forgets blocks that another thread frees",
        "an owner that never collects what others gave back, for as long as it lives",
    ),
    Fault::new(
        "remote-large-lost",
        ("remote-free", Leaks),
        &LOSES_LARGE_REMOTE_FREES,
        "forgets blocks of 16 KiB and more that another thread frees",
        "a path for large blocks that knows only its own thread's",
    ),
    Fault::new(
        "remote-link",
        ("remote-free", Corrupt),
        &LINKS_INTO_NEIGHBOUR,
        "writes a link behind a block that another thread frees, into its neighbour",
        "a list of freed blocks linked at the wrong offset",
    ),
    Fault::new(
        "remote-realloc",
        ("contention", Corrupt),
        &HalvesRemoteBlocks,
        "copies half of a block that another thread took when it is resized",
        "a size looked up in the heap of the wrong thread",
    ),
    Fault::new(
        "remote-hangs",
        ("remote-free", Hangs),
        &BOUNDED_INBOX,
        "waits for a block's owner when 256 blocks wait to be collected",
        "a bounded queue between threads, whose reader is blocked itself",
    ),
    Fault::new(
        "exit-hangs",
        ("thread-exit", Hangs),
        &WAITS_FOR_BLOCKS,
        "lets no thread end before its blocks are freed",
        "a thread that waits for its heap to become empty",
    ),
    Fault::new(
        "exit-unmaps",
        ("thread-exit", Aborts),
        &UNMAPS_REGION,
        "unmaps the heap of a thread that ends, live blocks and all",
        "thread heaps without adoption of what is left",
    ),
    Fault::new(
        "exit-reuses",
        ("thread-exit", Corrupt),
        &PASSES_REGION_ON,
        "gives the heap of a thread that ends to the next one as if it were empty",
        "adoption of a heap that forgets its live blocks",
    ),
    Fault::new(
        "exit-destructor",
        ("thread-exit", Aborts),
        &GoneInDestructors,
        "aborts where a thread-local destructor allocates after its own has run",
        "thread caches in a `thread_local!` that is accessed without a way out",
    ),
    Fault::new(
        "thread-leaks",
        ("short-threads", Leaks),
        &LeaksPerThread,
        "keeps 16 KiB of every thread that ends",
        "thread heaps that are never taken over, such as mnemosyne's and compatmalloc's",
    ),
    Fault::new(
        "orphans",
        ("short-threads", Leaks),
        &LOSES_ORPHANS,
        "never uses a block again that is freed after its thread has ended",
        "abandoned heaps that nobody adopts",
    ),
    Fault::new(
        "fork-lock",
        ("fork", Hangs),
        &LOCKS_OVER_FORK,
        "hangs in a child that was forked while another thread held its lock",
        "dlmalloc, talc and rlsf, which have no handler for fork",
    ),
    Fault::new(
        "fork-unmapped",
        ("fork", Aborts),
        &HEAP_STAYS_BEHIND,
        "leaves its memory out of a child",
        "`MADV_DONTFORK` on pages that the child needs",
    ),
    Fault::new(
        "fork-wiped",
        ("fork", Corrupt),
        &HEAP_IS_WIPED,
        "leaves a child with empty memory",
        "`MADV_WIPEONFORK` on pages that hold more than secrets",
    ),
    Fault::new(
        "impossible-aborts",
        ("impossible", Aborts),
        &OnImpossible::fresh(|| abort()),
        "aborts on a size that cannot be had",
        "an assertion in the way of the caller's own answer",
    ),
    Fault::new(
        "impossible-hangs",
        ("impossible", Hangs),
        &OnImpossible::fresh(|| hang()),
        "does not return from a size that cannot be had",
        "growing and trying again, without an end",
    ),
    Fault::new(
        "impossible-granted",
        ("impossible", Granted),
        &ThirtyTwoBits,
        "grants a size that cannot be had, as a small block",
        "sizes in 32 bits with a sign",
    ),
    Fault::new(
        "impossible-frees",
        ("impossible", Corrupt),
        &OnImpossible::resized(free_and_fail),
        "frees a block that it cannot resize",
        "a `realloc` that frees first, as BSD's `reallocf` does by design",
    ),
    Fault::new(
        "impossible-resized",
        ("impossible", Granted),
        &OnImpossible::resized(|block, _| block),
        "returns the old block where it cannot be resized",
        "a result that is looked at in one of two branches only",
    ),
    Fault::new(
        "exhaustion-aborts",
        ("exhaustion", Aborts),
        &ABORTS_AT_EXHAUSTION,
        "aborts when the kernel has no more memory for it",
        "allocators of programs that never handle null",
    ),
    Fault::new(
        "exhaustion-hangs",
        ("exhaustion", Hangs),
        &HANGS_AT_EXHAUSTION,
        "waits for memory when the kernel has no more for it",
        "trying again until it works",
    ),
    Fault::new(
        "exhaustion-stays",
        ("exhaustion", Refused),
        &NEVER_RECOVERS,
        "refuses everything after its first failure",
        "a heap marked as full for good",
    ),
    Fault::new(
        "exhaustion-frees",
        ("exhaustion", Corrupt),
        &FreesAtExhaustion,
        "frees a block that it has no room to grow",
        "a `realloc` that frees before it knows that it can",
    ),
    Fault::new(
        "never-reused",
        ("reuse", Leaks),
        &KEEPS_SMALL,
        "never uses freed blocks of up to 4,096 bytes again",
        "bump allocators",
    ),
    Fault::new(
        "large-leaks",
        ("reuse", Leaks),
        &KEEPS_LARGE,
        "never unmaps blocks of 128 KiB and more",
        "mappings whose length is lost",
    ),
    Fault::new(
        "aligned-leaks",
        ("reuse", Leaks),
        &KEEPS_ALIGNED,
        "never uses freed blocks of an alignment above 16 again",
        "a free that cannot find the beginning of an aligned block",
    ),
    Fault::new(
        "purge-discards",
        ("purge", Corrupt),
        &PURGED_WHOLE,
        "gives the pages of live blocks back to the kernel with those of free ones",
        "a purge that trusts a stale map of what is free",
    )
    .purging(discard_live),
    Fault::new(
        "purge-nothing",
        ("purge", Retained),
        &System,
        "does nothing when it is asked to give memory back",
        "tcmalloc, most of whose free memory stays where it is",
    )
    .purging(keep_all),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::fault::NONE;

    #[test]
    fn every_name_can_be_given_as_a_knob_and_stands_for_one_fault() {
        let names: BTreeSet<_> = FAULTS.iter().map(|fault| fault.name).collect();
        assert_eq!(names.len(), FAULTS.len());
        assert!(!names.contains(NONE));
        assert!(
            names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'))
        );
    }

    #[test]
    fn every_finding_is_to_be_found() {
        let all = [Aborts, Corrupt, Dirty, Granted, Hangs, Leaks, Misaligned, Overlap, Refused, Retained];
        for finding in all {
            assert!(FAULTS.iter().any(|fault| fault.finding == finding), "{finding:?}");
        }
    }
}

//! rpmalloc is linked, but this program's blocks come from the system allocator: no proof.
#![expect(unsafe_code, reason = "blocks taken from rpmalloc by hand")]

use std::alloc::{GlobalAlloc, Layout};

use heapmark_rpmalloc::{IDENTITY, RpMalloc};
use heapmark_worker::{Proof, TestBlock};

#[test]
fn a_block_of_the_system_allocator_proves_nothing() {
    let block = TestBlock::new();
    let mut detail = String::new();
    assert_eq!((IDENTITY.proof)(&block, &mut detail), Proof::None, "{detail}");
}

#[test]
fn alignments_are_refused_from_where_the_limit_says() {
    for (align, granted) in [(4_096, true), (32 << 10, true), (64 << 10, false), (2 << 20, false)] {
        let layout = Layout::from_size_align(24, align).expect("a power of two");
        // SAFETY: the size is above zero, and the block is given back once with its layout.
        unsafe {
            let block = RpMalloc.alloc(layout);
            assert_eq!(!block.is_null(), granted, "{align}");
            if granted {
                assert_eq!(block.addr() % align, 0);
                RpMalloc.dealloc(block, layout);
            }
        }
    }
}

#[test]
fn what_is_cached_for_all_is_counted() {
    let statistics = || {
        let mut text = String::new();
        IDENTITY.statistics.expect("there are some")(&mut text).expect("a string takes everything");
        let (bytes, _) = text.split_once(" bytes").unwrap_or_else(|| panic!("{text}"));
        bytes.parse::<usize>().unwrap_or_else(|_| panic!("{text}"))
    };
    // A thread keeps 400 spans for itself (`MAX_THREAD_SPAN_CACHE`); each of these blocks takes one.
    let layout = Layout::from_size_align(60_000, 1).expect("a small layout");
    let before = statistics();
    // SAFETY: the size is above zero, and every block is given back once with its layout.
    unsafe {
        let blocks: Vec<_> = (0..500).map(|_| RpMalloc.alloc(layout)).collect();
        assert!(blocks.iter().all(|block| !block.is_null()));
        for block in blocks {
            RpMalloc.dealloc(block, layout);
        }
    }
    let after = statistics();
    assert!(after > before, "{before} bytes before, {after} after");
}

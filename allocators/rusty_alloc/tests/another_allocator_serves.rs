//! `rusty_alloc` is linked, but this program's blocks come from the system allocator: no proof.
#![expect(unsafe_code, reason = "blocks taken from rusty_alloc by hand")]

use std::alloc::GlobalAlloc;

use heapmark_rusty_alloc::{IDENTITY, RustyAlloc};
use heapmark_worker::{Proof, ReadBack, TestBlock};

#[test]
fn a_block_of_the_system_allocator_proves_nothing() {
    let block = TestBlock::new();
    let mut detail = String::new();
    assert_eq!((IDENTITY.proof)(&block, &mut detail), Proof::None, "before rusty_alloc was ever used: {detail}");

    // SAFETY: the layout is of a size above zero, and the block is given back once, with the same layout.
    let own = unsafe { RustyAlloc.alloc(TestBlock::LAYOUT) };
    assert!(rusty_alloc::alloc::is_in_heap_region(own), "rusty_alloc knows its own block");
    assert_eq!((IDENTITY.proof)(&block, &mut detail), Proof::None, "after rusty_alloc was used: {detail}");
    // SAFETY: see above.
    unsafe { RustyAlloc.dealloc(own, TestBlock::LAYOUT) };

    let mut text = String::new();
    IDENTITY.statistics.expect("there are some")(&mut text).expect("a string takes everything");
    assert!(text.starts_with("segments: 1 taken, 0 given back"), "of the heap of this thread: {text}");
}

#[test]
fn the_pinned_version_has_every_option() {
    let value = |name: &str| {
        let knob = IDENTITY.knobs.iter().find(|knob| knob.name == name).expect("there is such a knob");
        let mut value = String::new();
        match knob.read {
            ReadBack::Allocator(read) => read(&mut value).expect("a string takes everything"),
            ReadBack::Environment => panic!("{name} is not told back"),
        }
        value
    };
    assert_eq!(value("arena_reserve_kib"), "1048576");
    assert_eq!(value("disallow_arena_alloc"), "0");
    assert_eq!(value("generic_collect"), "10000");
    assert_eq!(value("purge_decommits"), "1");
    assert_eq!(value("purge_delay"), "10");
}

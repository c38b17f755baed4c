//! mimalloc 2 is linked, but this program's blocks come from the system allocator: no proof.
#![expect(unsafe_code, reason = "a block taken from mimalloc by hand")]

use std::alloc::GlobalAlloc;

use heapmark_worker::{Proof, ReadBack, TestBlock};

#[path = "../src/identity.rs"]
#[expect(unreachable_pub, reason = "the library shows it")]
mod identity;
#[path = "../src/options.rs"]
mod options;
#[path = "../src/proof.rs"]
mod proof;
#[path = "../src/statistics.rs"]
mod statistics;

#[test]
fn a_block_of_the_system_allocator_proves_nothing() {
    let block = TestBlock::new();
    let mut detail = String::new();
    assert_eq!(proof::proof(&block, &mut detail), Proof::None, "before mimalloc was ever used: {detail}");

    // SAFETY: the layout is of a size above zero, and the block is given back once, with the same layout.
    let own = unsafe { mimalloc::MiMalloc.alloc(TestBlock::LAYOUT) };
    assert!(proof::usable_size(own).is_some_and(|usable| usable >= TestBlock::SIZE), "mimalloc knows its own block");
    assert_eq!(proof::proof(&block, &mut detail), Proof::None, "after mimalloc was used: {detail}");
    let on_the_stack = 0_u8;
    assert_eq!(proof::usable_size(&raw const on_the_stack), None);
    assert_eq!(proof::usable_size(std::ptr::null()), None);
    // SAFETY: see above.
    unsafe { mimalloc::MiMalloc.dealloc(own, TestBlock::LAYOUT) };
}

#[test]
fn the_bundled_version_prints_what_is_read() {
    assert_eq!(options::version() / 10_000, 2);
    assert_eq!(options::debug_level(), Some(0));
    assert_eq!(options::secure_level(), Some(0));
    assert_eq!(options::option("purge_dela"), None, "a name is read whole");
    assert_eq!(options::option("purge_delay"), Some(10));
    assert_eq!(options::option("arena_reserve"), Some(1024 * 1024), "the unit is left out");
}

#[test]
fn every_knob_is_one_of_this_version() {
    for knob in identity::IDENTITY.knobs {
        let ReadBack::Allocator(read) = knob.read else { panic!("{} is not read back", knob.name) };
        let mut value = String::new();
        read(&mut value).expect("a text takes everything");
        assert!(value.parse::<i64>().is_ok(), "{} reads {value:?}", knob.name);
    }
}

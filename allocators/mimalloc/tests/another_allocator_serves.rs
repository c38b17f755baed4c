//! mimalloc is linked, but this program's blocks come from the system allocator: no proof.
#![expect(unsafe_code, reason = "a block taken from mimalloc by hand")]

use std::alloc::GlobalAlloc;

use heapmark_worker::{Proof, TestBlock};

#[path = "../src/options.rs"]
mod options;
#[path = "../src/proof.rs"]
mod proof;

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
fn a_build_without_mitigations_is_not_the_secure_one() {
    let mut detail = String::new();
    assert_eq!(proof::secure(&TestBlock::new(), &mut detail), Proof::None);
    assert_eq!(detail, "the secure level is 0, and must not be 0");
}

#[test]
fn the_bundled_version_prints_what_is_read() {
    assert_eq!(options::debug_level(), Some(0));
    assert_eq!(options::secure_level(), Some(0));
    assert_eq!(options::option("purge_dela"), None, "a name is read whole");
    assert_eq!(options::option("purge_delay"), Some(1000));
    assert_eq!(options::option("arena_reserve"), Some(1024 * 1024), "the unit is left out");
}

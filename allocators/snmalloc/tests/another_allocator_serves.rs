//! snmalloc is linked, but this program's blocks come from the system allocator: no proof.
#![expect(unsafe_code, reason = "a block taken from snmalloc by hand")]

use std::alloc::GlobalAlloc;

use heapmark_worker::{Proof, TestBlock};

#[path = "../src/assertions.rs"]
#[expect(dead_code, reason = "only its own tests are wanted here")]
mod assertions;
#[path = "../src/proof.rs"]
mod proof;

#[test]
fn a_block_of_the_system_allocator_proves_nothing() {
    let block = TestBlock::new();
    let mut detail = String::new();
    assert_eq!(proof::proof(&block, &mut detail), Proof::None, "before snmalloc was ever used: {detail}");

    // SAFETY: the layout is of a size above zero, and the block is given back once, with the same layout.
    let own = unsafe { snmalloc_rs::SnMalloc.alloc(TestBlock::LAYOUT) };
    assert!(proof::usable_size(own).is_some_and(|usable| usable >= TestBlock::SIZE), "snmalloc knows its own block");
    assert_eq!(proof::proof(&block, &mut detail), Proof::None, "after snmalloc was used: {detail}");
    let on_the_stack = 0_u8;
    assert_eq!(proof::usable_size(&raw const on_the_stack), None);
    assert_eq!(proof::usable_size(std::ptr::null()), None);
    // SAFETY: see above.
    unsafe { snmalloc_rs::SnMalloc.dealloc(own, TestBlock::LAYOUT) };
}

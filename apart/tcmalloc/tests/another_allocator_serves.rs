//! tcmalloc is linked, but this program's blocks come from the system allocator: no proof.
#![expect(unsafe_code, reason = "a block taken from tcmalloc by hand")]

use std::alloc::GlobalAlloc;

use heapmark_worker::{Proof, TestBlock};
use tcmalloc_better::TCMalloc;

#[path = "../src/extension.rs"]
#[expect(dead_code, reason = "only ownership is wanted here")]
mod extension;
#[path = "../src/proof.rs"]
mod proof;

#[test]
fn a_block_of_the_system_allocator_proves_nothing() {
    let block = TestBlock::new();
    let mut detail = String::new();
    assert_eq!(proof::per_thread(&block, &mut detail), Proof::None, "before tcmalloc was ever used: {detail}");

    // SAFETY: the layout is of a size above zero, and the block is given back once, with the same layout.
    let own = unsafe { TCMalloc.alloc(TestBlock::LAYOUT) };
    assert!(extension::allocated_size(own).is_some_and(|size| size >= TestBlock::SIZE), "tcmalloc knows its own block");
    for proof in [proof::per_thread, proof::per_cpu] {
        assert_eq!(proof(&block, &mut detail), Proof::None, "after tcmalloc was used: {detail}");
    }
    let on_the_stack = 0_u8;
    assert_eq!(extension::allocated_size(&raw const on_the_stack), None);
    assert_eq!(extension::allocated_size(std::ptr::null()), None);
    // SAFETY: see above.
    unsafe { TCMalloc.dealloc(own, TestBlock::LAYOUT) };
}

//! dlmalloc is linked, but this program's blocks come from the system allocator: no proof.

use heapmark_dlmalloc::IDENTITY;
use heapmark_worker::{Proof, TestBlock};

#[test]
fn a_block_of_the_system_allocator_proves_nothing() {
    let block = TestBlock::new();
    let mut detail = String::new();
    assert_eq!((IDENTITY.proof)(&block, &mut detail), Proof::None, "before dlmalloc was ever used: {detail}");
    assert_eq!((IDENTITY.proof)(&block, &mut detail), Proof::None, "after dlmalloc was used: {detail}");
}

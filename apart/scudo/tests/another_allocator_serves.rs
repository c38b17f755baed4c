//! scudo is linked, but this program's blocks come from the system allocator: no proof.
#![expect(unsafe_code, reason = "a block taken from scudo by hand")]

use std::alloc::GlobalAlloc;

use heapmark_worker::{Proof, TestBlock};
use scudo::GlobalScudoAllocator;

#[path = "../src/flags.rs"]
mod flags;
#[path = "../src/proof.rs"]
mod proof;

#[test]
fn a_block_of_the_system_allocator_proves_nothing() {
    let block = TestBlock::new();
    let mut detail = String::new();
    assert_eq!(proof::proof(&block, &mut detail), Proof::None, "before scudo was ever used: {detail}");

    // SAFETY: the layout is of a size above zero, and the block is given back once, with the same layout.
    let own = unsafe { GlobalScudoAllocator.alloc(TestBlock::LAYOUT) };
    assert_eq!(proof::requested_size(own), Some(TestBlock::SIZE), "scudo knows its own block");
    assert_eq!(proof::proof(&block, &mut detail), Proof::None, "after scudo was used: {detail}");
    assert_eq!(proof::requested_size(std::ptr::null()), None);
    // SAFETY: see above.
    unsafe { GlobalScudoAllocator.dealloc(own, TestBlock::LAYOUT) };
    assert_eq!(proof::requested_size(own), None, "a block that was given back is none");

    // The defaults of `flags.inc`, each where it is expected.
    let defaults = flags::Flags {
        quarantine_size_kb: 0,
        thread_local_quarantine_size_kb: 0,
        quarantine_max_chunk_size: 0,
        dealloc_type_mismatch: false,
        delete_size_mismatch: true,
        zero_contents: false,
        pattern_fill_contents: false,
        may_return_null: true,
        release_to_os_interval_ms: 5000,
    };
    assert_eq!(flags::flags(), defaults);
}

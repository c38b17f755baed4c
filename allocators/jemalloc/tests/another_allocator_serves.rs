//! jemalloc is linked, but this program's blocks come from the system allocator: no proof.
#![expect(unsafe_code, reason = "a block taken from jemalloc by hand")]

use std::alloc::GlobalAlloc;

use heapmark_worker::{Proof, TestBlock};

#[path = "../src/mallctl.rs"]
mod mallctl;
#[path = "../src/proof.rs"]
mod proof;

#[test]
fn a_block_of_the_system_allocator_proves_nothing() {
    let block = TestBlock::new();
    let mut detail = String::new();
    assert_eq!(proof::proof(&block, &mut detail), Proof::None, "before jemalloc was ever used: {detail}");

    // SAFETY: the layout is of a size above zero, and the block is given back once, with the same layout.
    let own = unsafe { tikv_jemallocator::Jemalloc.alloc(TestBlock::LAYOUT) };
    assert!(mallctl::arena_of(own).is_some(), "jemalloc knows its own block");
    assert_eq!(proof::proof(&block, &mut detail), Proof::None, "after jemalloc was used: {detail}");
    let on_the_stack = 0_u8;
    assert_eq!(mallctl::arena_of(&raw const on_the_stack), None);
    assert_eq!(mallctl::arena_of(std::ptr::null()), None);
    // SAFETY: see above.
    unsafe { tikv_jemallocator::Jemalloc.dealloc(own, TestBlock::LAYOUT) };
}

#[test]
fn a_value_is_read_with_its_own_type_only() {
    assert_eq!(mallctl::flag(c"config.debug"), Some(false));
    assert_eq!(mallctl::signed_size(c"opt.dirty_decay_ms"), Some(10_000));
    assert!(mallctl::unsigned(c"opt.narenas").is_some_and(|arenas| arenas >= 1));
    assert_eq!(mallctl::size(c"opt.narenas"), None, "an unsigned is not a size_t");
    assert_eq!(mallctl::text(c"opt.thp"), Some("default"));
    assert_eq!(mallctl::text(c"opt.no_such_option"), None);
}

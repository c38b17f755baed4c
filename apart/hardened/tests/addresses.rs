//! What `hardened_malloc` says of addresses. It is this program's malloc too, since it takes that name: there is no other
//! allocator here whose blocks could be tried.

use heapmark_worker::TestBlock;

#[path = "../src/proof.rs"]
#[expect(dead_code, reason = "only sizes are wanted here")]
mod proof;

#[test]
fn addresses_of_others_are_not_known() {
    static STATIC: u8 = 0;
    let block = TestBlock::new();
    assert!(proof::object_size(block.address()).is_some_and(|size| size >= TestBlock::SIZE));
    let on_the_stack = 0_u8;
    for foreign in [&raw const on_the_stack, &raw const STATIC, std::ptr::null()] {
        assert_eq!(proof::object_size(foreign), None, "{foreign:?}");
    }
}

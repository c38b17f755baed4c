//! This program's blocks come from glibc, as they do unless a program says otherwise.

use heapmark_worker::{Proof, TestBlock};

#[path = "../src/glibc.rs"]
#[expect(dead_code, reason = "nothing is purged or counted here")]
mod glibc;
#[path = "../src/mapping.rs"]
#[expect(unused_imports, reason = "the tests inside need the test harness")]
mod mapping;
#[path = "../src/proof.rs"]
#[expect(dead_code, reason = "the tests inside need the test harness")]
mod proof;

fn main() {
    let mut detail = String::new();
    assert_eq!(proof::proof(&TestBlock::new(), &mut detail), Proof::Api, "{detail}");
    // Freed blocks wait in the thread's cache, counted as in use, and are handed out first.
    drop(std::array::from_fn::<_, 7, _>(|_| TestBlock::new()));
    detail.clear();
    assert_eq!(proof::proof(&TestBlock::new(), &mut detail), Proof::Api, "with a full cache: {detail}");
    assert_eq!(proof::replacement(), None);
    assert!(glibc::version().starts_with("2."), "{}", glibc::version());
}

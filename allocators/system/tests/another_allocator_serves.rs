//! glibc's malloc is there as always, but this program's blocks come from elsewhere: no proof.
#![expect(unsafe_code, reason = "an implementation of GlobalAlloc")]

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicUsize, Ordering};

use heapmark_worker::{Proof, TestBlock};

#[path = "../src/glibc.rs"]
#[expect(dead_code, reason = "the version is not wanted here")]
mod glibc;
#[path = "../src/mapping.rs"]
#[expect(unused_imports, reason = "the tests inside need the test harness")]
mod mapping;
#[path = "../src/proof.rs"]
#[expect(dead_code, reason = "preloaded libraries are not wanted here, and the tests inside need the test harness")]
mod proof;

/// Hands out a part of one mapping, and takes nothing back.
struct Mapping {
    start: AtomicUsize,
    used: AtomicUsize,
}

const ROOM: usize = 64 << 20;

#[global_allocator]
static ALLOCATOR: Mapping = Mapping { start: AtomicUsize::new(0), used: AtomicUsize::new(0) };

// SAFETY: every block is a part of its own of one private mapping, which is never unmapped.
unsafe impl GlobalAlloc for Mapping {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let mut start = self.start.load(Ordering::Acquire);
        if start == 0 {
            let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            // SAFETY: a fresh anonymous mapping disturbs nothing.
            let mapped = unsafe { libc::mmap(std::ptr::null_mut(), ROOM, access, kind, -1, 0) };
            if mapped == libc::MAP_FAILED {
                return std::ptr::null_mut();
            }
            let mapped = mapped.expose_provenance();
            // Where two threads come first at once, one mapping is used and the other lies idle.
            start = self.start.compare_exchange(0, mapped, Ordering::AcqRel, Ordering::Acquire).err().unwrap_or(mapped);
        }
        let size = layout.size() + layout.align();
        let offset = self.used.fetch_add(size, Ordering::Relaxed);
        if offset + size > ROOM {
            return std::ptr::null_mut();
        }
        std::ptr::with_exposed_provenance_mut((start + offset).next_multiple_of(layout.align()))
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

fn main() {
    let mut detail = String::new();
    assert_eq!(proof::proof(&TestBlock::new(), &mut detail), Proof::None, "{detail}");
    assert!(detail.starts_with("malloc from libc"), "{detail}");
}

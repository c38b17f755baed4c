//! An allocator that does as little as one can: the next block begins where the last one ended, and when all of them are
//! freed, at the start.
#![expect(unsafe_code, reason = "its area comes from the system and is handed out as addresses")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;

/// The blocks that it serves: others would stay for long, and keep it from beginning again.
const SERVED: Layout = Layout::new::<[u64; 2]>();

/// Its area: for many more blocks than are alive at once, but within the first cache.
const AREA: usize = 16 << 10;

struct Bump {
    /// Whether it hands out blocks.
    on: Cell<bool>,
    /// The area, once there is one. It never goes back to the system.
    start: Cell<*mut u8>,
    /// Bytes of it that are handed out, or were.
    used: Cell<usize>,
    /// Blocks that are alive.
    alive: Cell<usize>,
    /// Whether there was a block that it had no room for.
    ran_out: Cell<bool>,
}

thread_local! {
    static BUMP: Bump = const {
        Bump {
            on: Cell::new(false),
            start: Cell::new(ptr::null_mut()),
            used: Cell::new(0),
            alive: Cell::new(0),
            ran_out: Cell::new(false),
        }
    };
}

/// Has it serve this thread, or not any more.
///
/// # Panics
/// If the system has no memory; or if it has run out, since then what was measured was not it.
pub(crate) fn switch(on: bool) {
    let layout = Layout::from_size_align(AREA, align_of::<u128>()).expect("a small power of two");
    BUMP.with(|bump| {
        if bump.start.get().is_null() {
            // SAFETY: the size is not zero.
            bump.start.set(unsafe { System.alloc(layout) });
            assert!(!bump.start.get().is_null(), "the system has no memory");
        }
        assert!(!bump.ran_out.get(), "some blocks were kept, so that it could not begin again");
        bump.on.set(on);
    });
}

/// A block, if it serves this one and has room.
#[inline]
pub(crate) fn take(layout: Layout) -> Option<*mut u8> {
    BUMP.with(|bump| {
        let used = bump.used.get();
        if !bump.on.get() || layout != SERVED {
            return None;
        }
        if used == AREA {
            bump.ran_out.set(true);
            return None;
        }
        bump.used.set(used + SERVED.size());
        bump.alive.set(bump.alive.get() + 1);
        // SAFETY: the area is a whole number of blocks, and not used up.
        Some(unsafe { bump.start.get().add(used) })
    })
}

/// Takes a block back, if it is this thread's.
#[inline]
pub(crate) fn give_back(block: *mut u8) -> bool {
    BUMP.with(|bump| {
        let start = bump.start.get();
        if start.is_null() || block.addr().wrapping_sub(start.addr()) >= AREA {
            return false;
        }
        bump.alive.set(bump.alive.get() - 1);
        if bump.alive.get() == 0 {
            bump.used.set(0);
        }
        true
    })
}

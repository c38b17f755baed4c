//! An allocator that is called after its own thread-local state is gone.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;

use crate::parts::{abort, at_thread_exit, is_main_thread};

/// Makes its state at a thread's first block, tears it down when the thread ends, and ends the program where it is asked for a
/// block after that: by the destructor of a variable that the thread had before its first block, since destructors run in the
/// reverse order of their registration.
pub(crate) struct GoneInDestructors;

#[derive(Clone, Copy)]
enum State {
    Unused,
    InUse,
    Gone,
}

thread_local! {
    static STATE: Cell<State> = const { Cell::new(State::Unused) };
}

extern "C" fn tear_down(_: *mut c_void) {
    STATE.set(State::Gone);
}

// SAFETY: the system's allocator, or the end of the program.
unsafe impl GlobalAlloc for GoneInDestructors {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match STATE.get() {
            State::Unused if !is_main_thread() => {
                STATE.set(State::InUse);
                at_thread_exit(tear_down);
            }
            State::Unused | State::InUse => {}
            State::Gone => abort(),
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and all blocks are the system's.
        unsafe { System.dealloc(block, layout) }
    }
}

//! The ways in which a worker can fail. None of them allocates, so that an allocator can fail with them too.
#![expect(unsafe_code, reason = "abort(3), _exit(2), fork(2), and a write to memory that may not be written")]

use std::sync::{Mutex, PoisonError};

use crate::lifeline;

/// Ends the program by `SIGABRT`.
pub fn abort() {
    std::process::abort();
}

/// Writes to a page that may not be touched, so that the kernel sends `SIGSEGV`.
pub fn crash() {
    const PAGE: usize = 4096;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: the mapping is fresh and private to this function. The write is to memory of ours that the kernel does not
    // let anyone write, which ends the process in a defined way: by the signal that this function is for.
    unsafe {
        let page = libc::mmap(std::ptr::null_mut(), PAGE, libc::PROT_NONE, flags, -1, 0);
        page.cast::<u8>().write_volatile(1);
    }
}

/// Takes a lock that it holds already, as an allocator does that is entered again from its own code. Before that, it says
/// so on the lifeline.
pub fn deadlock() {
    static LOCK: Mutex<()> = Mutex::new(());
    lifeline::signal();
    let _held = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let _never = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
}

/// Exits with code 3, with no handler run.
pub fn exit() {
    // SAFETY: the call ends the process and touches no memory.
    unsafe { libc::_exit(3) }
}

/// Starts a child that sleeps until it is killed, and holds on to every descriptor of this process.
pub fn leave_a_child() {
    // SAFETY: the child calls nothing but pause(2), which is safe after a fork of a program with threads.
    unsafe {
        if libc::fork() == 0 {
            loop {
                libc::pause();
            }
        }
    }
}

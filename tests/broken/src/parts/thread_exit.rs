//! What an allocator does when a thread ends.

use std::ffi::{c_int, c_void};
use std::ptr;

// glibc's interface to the destructors of C++'s thread-local objects: the last one registered runs first. It takes what it needs
// from the C library's own malloc, not through the allocator of the program.
unsafe extern "C" {
    fn __cxa_thread_atexit_impl(run: extern "C" fn(*mut c_void), argument: *mut c_void, library: *const u8) -> c_int;
    static __dso_handle: u8;
}

/// Has `run` called when this thread ends, before what was registered earlier.
pub(crate) fn at_thread_exit(run: extern "C" fn(*mut c_void)) {
    // SAFETY: the function is one of this program, which is never unloaded, and takes any pointer; the handle is only an address.
    unsafe { __cxa_thread_atexit_impl(run, ptr::null_mut(), &raw const __dso_handle) };
}

/// Whether this is the thread that the process began with.
pub(crate) fn is_main_thread() -> bool {
    // SAFETY: both calls take nothing and return a number.
    unsafe { libc::gettid() == libc::getpid() }
}

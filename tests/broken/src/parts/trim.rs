//! The system's purge call.

/// Has glibc give back what it can.
pub(crate) fn trim() {
    // SAFETY: malloc_trim takes a number and the locks that it needs.
    unsafe { libc::malloc_trim(0) };
}

//! How `hardened_malloc` is told to give free memory back.
#![expect(unsafe_code, reason = "malloc_trim is a foreign function")]

/// Gives free memory back to the kernel. The library takes the place of the C library's malloc, this function included
/// (`h_malloc_trim`); what is in quarantine stays there.
pub(crate) fn purge() {
    // SAFETY: the function takes a number, and touches nothing that is in use.
    unsafe { libc::malloc_trim(0) };
}

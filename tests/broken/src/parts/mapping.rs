//! Memory from the kernel.

/// The size of a page on the systems that this is built for.
pub(crate) const PAGE: usize = 4096;

/// Maps fresh pages, of which only those touched are ever resident; null where there is no room.
pub(crate) fn map(length: usize) -> *mut u8 {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a fresh anonymous mapping disturbs nothing.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), length, access, kind, -1, 0) };
    if start == libc::MAP_FAILED { std::ptr::null_mut() } else { start.cast() }
}

//! What glibc and its dynamic linker say of malloc.
#![expect(unsafe_code, reason = "dladdr, mallinfo, malloc_trim and gnu_get_libc_version have no safe wrapper")]

use std::ffi::{CStr, c_void};

/// glibc's version, such as `2.36`.
pub(crate) fn version() -> &'static str {
    // SAFETY: the function takes nothing and returns a static C string.
    unsafe { CStr::from_ptr(libc::gnu_get_libc_version()) }.to_str().unwrap_or("?")
}

/// Bytes that glibc's own malloc counts as in use, modulo 2^32: only differences are of use.
///
/// `mallinfo` and not `mallinfo2`, which glibc has only since 2.33 and would keep the worker from starting on older systems.
pub(crate) fn in_use() -> u32 {
    let counts = counts();
    counts.used.wrapping_add(counts.mapped)
}

/// What glibc counts over all its arenas, in bytes modulo 2^32.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    /// In blocks in use, or in the caches of threads, but for blocks that are mappings of their own.
    pub(crate) used: u32,
    /// In blocks that are mappings of their own.
    pub(crate) mapped: u32,
    /// Free, and kept.
    pub(crate) free: u32,
}

/// Reads the counts.
pub(crate) fn counts() -> Counts {
    // SAFETY: the function takes nothing and returns numbers; it takes the locks it needs.
    let info = unsafe { libc::mallinfo() };
    Counts {
        used: info.uordblks.cast_unsigned(),
        mapped: info.hblkhd.cast_unsigned(),
        free: info.fordblks.cast_unsigned(),
    }
}

/// Gives whole free pages of all arenas back to the kernel, see `malloc_trim(3)`.
pub(crate) fn trim() {
    // SAFETY: the function takes a number and the locks it needs; live blocks stay where they are.
    unsafe { libc::malloc_trim(0) };
}

/// The functions that `std::alloc::System` calls on Unix, malloc first, as this program is bound to them.
///
/// Not what `dlsym` finds: that passes over symbols of a version that is not the default, to which a program may be bound.
pub(crate) fn malloc_functions() -> [*const c_void; 5] {
    [
        libc::malloc as *const c_void,
        libc::calloc as *const c_void,
        libc::realloc as *const c_void,
        libc::free as *const c_void,
        libc::posix_memalign as *const c_void,
    ]
}

/// The file name of the C library.
pub(crate) fn libc_name() -> Option<&'static str> {
    library_of(libc::gnu_get_libc_version as *const c_void)
}

/// The file name of the library that an address lies in, as the dynamic linker knows it.
pub(crate) fn library_of(address: *const c_void) -> Option<&'static str> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: `info` is valid for writes, and any address may be asked for.
    if unsafe { libc::dladdr(address, &raw mut info) } == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the linker's name of a library that stays loaded, since this program never unloads one.
    let path = unsafe { CStr::from_ptr(info.dli_fname) }.to_str().ok()?;
    path.rsplit('/').next()
}

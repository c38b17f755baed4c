//! What tcmalloc tells of itself: the C functions behind its `MallocExtension`, which the crates do not bind.
#![expect(unsafe_code, reason = "calls into tcmalloc")]

use std::ffi::{c_char, c_int, c_void};

unsafe extern "C" {
    fn MallocExtension_Internal_GetAllocatedSize(address: *const c_void) -> usize;
    fn MallocExtension_Internal_GetNumericProperty(name: *const c_char, length: usize, value: *mut usize) -> bool;
    fn MallocExtension_Internal_GetOwnership(address: *const c_void) -> c_int;
    fn MallocExtension_Internal_ReleaseMemoryToSystem(bytes: usize) -> usize;
    fn TCMalloc_Internal_GetHPAASubrelease() -> bool;
    fn TCMallocInternalDelete(address: *mut c_void);
    fn TCMallocInternalDeleteAligned(address: *mut c_void, alignment: usize);
}

/// The usable size of a block of tcmalloc's; nothing for an address that is not tcmalloc's.
pub(crate) fn allocated_size(address: *const u8) -> Option<usize> {
    /// `MallocExtension::Ownership::kOwned`.
    const OWNED: c_int = 1;
    // SAFETY: any address may be asked for: it is looked up in the page map and never followed (`PageMap::GetDescriptor`).
    if unsafe { MallocExtension_Internal_GetOwnership(address.cast()) } != OWNED {
        return None;
    }
    // SAFETY: the block lies in a page of tcmalloc's and is live, since the caller holds it.
    Some(unsafe { MallocExtension_Internal_GetAllocatedSize(address.cast()) })
}

/// A number that tcmalloc knows under this name. tcmalloc must have been used before.
pub(crate) fn property(name: &str) -> Option<usize> {
    let mut value = 0;
    // SAFETY: the name is read as far as its length goes, and `value` is valid for writes.
    let known =
        unsafe { MallocExtension_Internal_GetNumericProperty(name.as_ptr().cast(), name.len(), &raw mut value) };
    known.then_some(value)
}

/// Whether caches per CPU are in use, and not caches per thread.
pub(crate) fn per_cpu() -> bool {
    property("tcmalloc.per_cpu_caches_active") == Some(1)
}

/// Whether parts of huge pages are given back to the kernel.
pub(crate) fn subrelease() -> bool {
    // SAFETY: the function takes nothing and returns a flag.
    unsafe { TCMalloc_Internal_GetHPAASubrelease() }
}

/// Gives back to the kernel what is free, and says how many bytes that was.
pub(crate) fn release() -> usize {
    // SAFETY: the function takes a number, and touches nothing that is in use.
    unsafe { MallocExtension_Internal_ReleaseMemoryToSystem(usize::MAX) }
}

/// Whether the library was compiled with its assertions. Without them these two are one function, with them the second makes an
/// assertion of its own (`tcmalloc.cc`).
pub(crate) fn has_assertions() -> bool {
    TCMallocInternalDelete as *const () != TCMallocInternalDeleteAligned as *const ()
}

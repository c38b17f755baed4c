//! jemalloc's introspection interface: named values to read, and named commands.
#![expect(unsafe_code, reason = "mallctl is a foreign function that reads and writes through pointers")]

use std::ffi::{CStr, c_char, c_uint, c_void};

use tikv_jemalloc_sys::mallctl;

/// A `bool`.
pub(crate) fn flag(name: &CStr) -> Option<bool> {
    read::<bool>(name)
}

/// An `unsigned`.
pub(crate) fn unsigned(name: &CStr) -> Option<u32> {
    read::<c_uint>(name)
}

/// A `size_t`.
pub(crate) fn size(name: &CStr) -> Option<usize> {
    read::<usize>(name)
}

/// An `ssize_t`.
pub(crate) fn signed_size(name: &CStr) -> Option<isize> {
    read::<isize>(name)
}

/// A `const char *`.
pub(crate) fn text(name: &CStr) -> Option<&'static str> {
    let text = read::<usize>(name).map(std::ptr::with_exposed_provenance::<c_char>)?;
    // SAFETY: jemalloc's texts are C strings that live as long as the program; null is excluded first.
    if text.is_null() { None } else { unsafe { CStr::from_ptr(text) }.to_str().ok() }
}

/// The arena that a live block belongs to; nothing for an address that is not jemalloc's.
pub(crate) fn arena_of(address: *const u8) -> Option<u32> {
    let mut address = address;
    let mut arena: c_uint = 0;
    let mut length = size_of::<c_uint>();
    // SAFETY: the name is a C string; `arena` and `length` are valid for writes, `address` for a read of its size. Any address
    // may be asked for: it is looked up in the extent map and never followed (`arenas_lookup_ctl`).
    let error = unsafe {
        mallctl(
            c"arenas.lookup".as_ptr(),
            (&raw mut arena).cast(),
            &raw mut length,
            (&raw mut address).cast::<c_void>(),
            size_of_val(&address),
        )
    };
    (error == 0).then_some(arena)
}

/// Has jemalloc do what stands behind a name that is a command. Whether it did.
pub(crate) fn command(name: &CStr) -> bool {
    let (nothing, no_length) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the name is a C string, and nothing is read or written. Live blocks stay where they are, whatever the command.
    unsafe { mallctl(name.as_ptr(), nothing, no_length, std::ptr::null_mut(), 0) == 0 }
}

/// Has jemalloc take its statistics anew: what is read of them stands still in between. Whether it did.
pub(crate) fn refresh() -> bool {
    let mut epoch = 1_u64;
    let (nothing, no_length) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the name is a C string, and `epoch` is valid for a read of its size.
    let error = unsafe { mallctl(c"epoch".as_ptr(), nothing, no_length, (&raw mut epoch).cast(), size_of_val(&epoch)) };
    error == 0
}

/// What may be read: plain values, of which jemalloc writes only valid ones.
trait Value: Copy + Default {}
impl Value for bool {}
impl Value for c_uint {}
impl Value for usize {}
impl Value for isize {}

/// Reads a value; nothing where the name is unknown or its type has another size.
fn read<T: Value>(name: &CStr) -> Option<T> {
    let mut value = T::default();
    let mut length = size_of::<T>();
    // SAFETY: the name is a C string, `value` and `length` are valid for writes; jemalloc writes at most `length` bytes, and
    // fails where the value has another length. Nothing is written to jemalloc.
    let error = unsafe { mallctl(name.as_ptr(), (&raw mut value).cast(), &raw mut length, std::ptr::null_mut(), 0) };
    (error == 0).then_some(value)
}

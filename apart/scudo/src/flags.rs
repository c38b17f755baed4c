//! scudo's settings, as it understood them.
#![expect(unsafe_code, reason = "a function of scudo's and what it points to")]

use std::ffi::c_int;

/// `scudo::Flags` of scudo-sys 0.2.2, the version that the manifest pins: one field for each line of `flags.inc`, in its order.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) quarantine_size_kb: c_int,
    pub(crate) thread_local_quarantine_size_kb: c_int,
    pub(crate) quarantine_max_chunk_size: c_int,
    pub(crate) dealloc_type_mismatch: bool,
    pub(crate) delete_size_mismatch: bool,
    pub(crate) zero_contents: bool,
    pub(crate) pattern_fill_contents: bool,
    pub(crate) may_return_null: bool,
    pub(crate) release_to_os_interval_ms: c_int,
}

unsafe extern "C" {
    /// `scudo::Flags *scudo::getFlags()`: where the flags are. They are filled in when the allocator is first used, and not written after.
    #[link_name = "_ZN5scudo8getFlagsEv"]
    safe fn flags_of_scudo() -> *const Flags;
}

/// The flags, as they are in force once the allocator has been used.
pub(crate) fn flags() -> Flags {
    // SAFETY: the pointer is to a static object of this layout. scudo writes to it while it initialises itself, at the first
    // allocation, which a program on scudo has behind it when Rust code runs.
    unsafe { *flags_of_scudo() }
}

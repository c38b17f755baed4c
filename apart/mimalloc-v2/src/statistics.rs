//! What mimalloc can be told to give back, and what it counts of itself.
#![expect(unsafe_code, reason = "calls into mimalloc")]

use std::fmt;
use std::ptr::null_mut;

use libmimalloc_sys::{mi_collect, mi_process_info};

/// Gives free memory back to the kernel.
pub(crate) fn purge() {
    // SAFETY: the function takes a flag, and touches nothing that is in use.
    unsafe { mi_collect(true) };
}

/// Writes how much memory is committed. Whole arenas count, where the kernel commits on demand.
pub(crate) fn write(out: &mut dyn fmt::Write) -> fmt::Result {
    let (mut current, mut peak) = (0, 0);
    // SAFETY: null stands for a number that is not wanted; the two that are go to places of their own.
    unsafe {
        mi_process_info(
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
            &raw mut current,
            &raw mut peak,
            null_mut(),
        );
    }
    write!(out, "mi_process_info: {current} bytes committed, {peak} at the peak")
}

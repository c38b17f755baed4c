//! What has to happen in the child between fork and exec: one system call, made only where it is asked for.
#![expect(
    unsafe_code,
    reason = "prctl(2) takes these flags through no safe wrapper, and the child has to call it itself"
)]

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use libc::{PR_GET_THP_DISABLE, PR_SET_THP_DISABLE, c_int, c_ulong, prctl};

use crate::HugePages;

/// The error with which a child fails whose kernel does not do as it was asked. exec has no such error.
pub(super) const REFUSED: c_int = libc::EOPNOTSUPP;

/// Leaves huge pages to those who ask for them (linux/prctl.h, since Linux 6.18).
const PR_THP_DISABLE_EXCEPT_ADVISED: c_ulong = 1 << 1;

/// Has the child set its huge pages before it becomes the program; the kernel keeps that across exec. The child fails with
/// [`REFUSED`] where the kernel does not answer that it is set.
///
/// A command with such a step is started by fork and exec, one without by the faster `posix_spawn`.
pub(super) fn set_huge_pages(command: &mut Command, mode: HugePages) {
    let (disable, flags): (c_ulong, c_ulong) = match mode {
        HugePages::Host => return,
        HugePages::Never => (1, 0),
        HugePages::Advised => (1, PR_THP_DISABLE_EXCEPT_ADVISED),
        HugePages::Always => (0, 0),
    };
    let set = move || {
        // SAFETY: the call takes numbers and touches no memory; the kernel wants those that are not used to be zero.
        let done = unsafe { prctl(PR_SET_THP_DISABLE, disable, flags, 0 as c_ulong, 0 as c_ulong) };
        // SAFETY: as above.
        let answer = unsafe { prctl(PR_GET_THP_DISABLE, 0 as c_ulong, 0 as c_ulong, 0 as c_ulong, 0 as c_ulong) };
        // It answers with both numbers, one or-ed to the other.
        if done == 0 && c_ulong::try_from(answer) == Ok(disable | flags) {
            Ok(())
        } else {
            Err(io::Error::from_raw_os_error(REFUSED))
        }
    };
    // SAFETY: between fork and exec of a process with threads a child may only do what a signal handler may: `set` makes two
    // system calls and a number, allocates nothing, takes no lock and cannot panic.
    unsafe { command.pre_exec(set) };
}

//! The CPU time of this process, which rustix does not tell.
#![expect(unsafe_code, reason = "getrusage(2) into a structure on the stack")]

use std::mem::MaybeUninit;

use crate::clock::NANOS;

/// CPU time in nanoseconds, of all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cpu {
    pub(crate) user_ns: u64,
    pub(crate) system_ns: u64,
}

impl Cpu {
    /// What this process has used so far.
    pub(crate) fn read() -> Self {
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the pointer is valid for a write of an rusage; all-zero is a valid rusage should the call fail.
        let usage = unsafe {
            libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
            usage.assume_init()
        };
        let number = |value: i64| u64::try_from(value).unwrap_or(0);
        let nanos = |time: libc::timeval| number(time.tv_sec) * NANOS + number(time.tv_usec) * 1_000;
        Self { user_ns: nanos(usage.ru_utime), system_ns: nanos(usage.ru_stime) }
    }

    /// What was used since an earlier reading.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
        }
    }
}

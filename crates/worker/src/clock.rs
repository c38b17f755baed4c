//! Clocks and counters of this process, read by single system calls.
#![expect(unsafe_code, reason = "clock_gettime(2), getrusage(2) and sched_getaffinity(2) into structures on the stack")]

use std::mem::MaybeUninit;

/// A reading of everything that a turn is timed by.
///
/// User and system time come from `getrusage`: their sum is exact to a microsecond, while how it splits is scaled from
/// timer ticks (`cputime_adjust` in the kernel's `kernel/sched/cputime.c`), so the split needs many turns to be good.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reading {
    pub(crate) wall_ns: u64,
    pub(crate) user_ns: u64,
    pub(crate) system_ns: u64,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    pub(crate) voluntary_switches: u64,
    pub(crate) involuntary_switches: u64,
}

impl Reading {
    /// Reads the clocks before something begins: the wall clock last, so that reading the others is not timed.
    pub(crate) fn before() -> Self {
        let mut reading = usage();
        reading.wall_ns = monotonic_ns();
        reading
    }

    /// Reads the clocks after something ended: the wall clock first.
    pub(crate) fn after() -> Self {
        let wall_ns = monotonic_ns();
        Self { wall_ns, ..usage() }
    }

    /// User and system time together.
    pub(crate) fn cpu_ns(&self) -> u64 {
        self.user_ns + self.system_ns
    }

    /// What passed since an earlier reading.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        Self {
            wall_ns: self.wall_ns.saturating_sub(earlier.wall_ns),
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
            minor_faults: self.minor_faults.saturating_sub(earlier.minor_faults),
            major_faults: self.major_faults.saturating_sub(earlier.major_faults),
            voluntary_switches: self.voluntary_switches.saturating_sub(earlier.voluntary_switches),
            involuntary_switches: self.involuntary_switches.saturating_sub(earlier.involuntary_switches),
        }
    }
}

/// The monotonic clock, in nanoseconds since an arbitrary moment.
pub(crate) fn monotonic_ns() -> u64 {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the pointer is valid for a write of a timespec; CLOCK_MONOTONIC exists on every Linux.
    let time = unsafe {
        libc::clock_gettime(libc::CLOCK_MONOTONIC, time.as_mut_ptr());
        time.assume_init()
    };
    number(time.tv_sec) * 1_000_000_000 + number(time.tv_nsec)
}

fn usage() -> Reading {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is valid for a write of an rusage; all-zero is a valid rusage should the call fail.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    let nanos = |time: libc::timeval| number(time.tv_sec) * 1_000_000_000 + number(time.tv_usec) * 1_000;
    Reading {
        wall_ns: 0,
        user_ns: nanos(usage.ru_utime),
        system_ns: nanos(usage.ru_stime),
        minor_faults: number(usage.ru_minflt),
        major_faults: number(usage.ru_majflt),
        voluntary_switches: number(usage.ru_nvcsw),
        involuntary_switches: number(usage.ru_nivcsw),
    }
}

fn number(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// The processors that this process may run on; at least 1.
pub(crate) fn usable_processors() -> u64 {
    let mut set = MaybeUninit::<libc::cpu_set_t>::zeroed();
    // SAFETY: the pointer is valid for a write of the size given; an all-zero set is valid should the call fail.
    let count = unsafe {
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), set.as_mut_ptr());
        libc::CPU_COUNT(&set.assume_init())
    };
    u64::try_from(count).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_go_forward_and_cpu_time_is_counted() {
        let before = Reading::before();
        let mut sum = 0_u64;
        for i in 0..20_000_000_u64 {
            sum = std::hint::black_box(sum ^ i);
        }
        let spent = Reading::after().since(&before);
        assert!(spent.wall_ns > 0 && spent.cpu_ns() > 0, "{spent:?}");
        assert!(usable_processors() >= 1);
    }
}

//! The monotonic clock.

use rustix::time::{ClockId, Timespec, clock_gettime};

pub(crate) const NANOS: u64 = 1_000_000_000;

/// Nanoseconds since some moment in the past.
pub(crate) fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    number(time.tv_sec) * NANOS + number(time.tv_nsec)
}

/// So many nanoseconds as the kernel wants them.
pub(crate) fn timespec(nanos: u64) -> Timespec {
    let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    Timespec { tv_sec: signed(nanos / NANOS), tv_nsec: signed(nanos % NANOS) }
}

/// A duration; five centuries where it is longer than that.
pub(crate) fn nanos(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The monotonic clock is never negative.
fn number(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

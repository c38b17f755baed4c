//! Quantities that carry their unit, so that a wrong sum does not compile.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

macro_rules! quantity {
    ($(#[$about:meta])* $name:ident($inner:ty)) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl std::ops::Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl std::iter::Sum for $name {
            fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
                values.fold(Self::default(), |sum, value| sum + value)
            }
        }
    };
}

quantity! {
    /// A span of time in nanoseconds.
    #[derive(Eq, Ord)]
    Nanos(u64)
}
quantity! {
    /// A size in bytes.
    #[derive(Eq, Ord)]
    Bytes(u64)
}
quantity! {
    /// A span of time in nanoseconds, spread over the units done in it.
    NanosPerUnit(f64)
}
quantity! {
    /// Units of a workload per second.
    UnitsPerSecond(f64)
}

impl Nanos {
    /// The same span for the standard library.
    pub const fn duration(self) -> Duration {
        Duration::from_nanos(self.0)
    }
}

impl From<Duration> for Nanos {
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl UnitsPerSecond {
    /// Units done in a span of time; nothing for a span of zero.
    pub fn of(units: u64, time: Nanos) -> Option<Self> {
        (time.0 > 0).then(|| Self(units as f64 * 1e9 / time.0 as f64))
    }
}

/// Three significant digits, with the largest step of `steps` (ascending) that leaves at least one before the point.
fn scaled(f: &mut fmt::Formatter<'_>, value: f64, steps: &[(f64, &str)]) -> fmt::Result {
    let (step, name) = steps.iter().rev().find(|(step, _)| value.abs() >= *step).unwrap_or(&steps[0]);
    let shown = value / step;
    let digits = if shown.abs() >= 99.95 {
        0
    } else if shown.abs() >= 9.995 {
        1
    } else {
        2
    };
    f.pad(&format!("{shown:.digits$} {name}"))
}

const TIMES: [(f64, &str); 4] = [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")];

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        scaled(f, self.0 as f64, &TIMES)
    }
}

impl fmt::Display for NanosPerUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        scaled(f, self.0, &TIMES)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kib = 1024.0;
        scaled(f, self.0 as f64, &[(1.0, "B"), (kib, "KiB"), (kib * kib, "MiB"), (kib * kib * kib, "GiB")])
    }
}

impl fmt::Display for UnitsPerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        scaled(f, self.0, &[(1.0, "/s"), (1e3, "k/s"), (1e6, "M/s"), (1e9, "G/s")])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_significant_digits() {
        for (shown, expected) in [
            (Nanos(0).to_string(), "0.00 ns"),
            (Nanos(999).to_string(), "999 ns"),
            (Nanos(1_234).to_string(), "1.23 µs"),
            (Nanos(12_345_678).to_string(), "12.3 ms"),
            (Nanos(3_000_000_000).to_string(), "3.00 s"),
            (NanosPerUnit(3.25).to_string(), "3.25 ns"),
            (Bytes(1 << 20).to_string(), "1.00 MiB"),
            (Bytes(123 << 20).to_string(), "123 MiB"),
            (UnitsPerSecond(0.5).to_string(), "0.50 /s"),
            (UnitsPerSecond(66_800.0).to_string(), "66.8 k/s"),
        ] {
            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn no_time_is_no_throughput() {
        assert_eq!(UnitsPerSecond::of(5, Nanos(0)), None);
        assert_eq!(UnitsPerSecond::of(5, Nanos(1_000_000_000)), Some(UnitsPerSecond(5.0)));
    }
}

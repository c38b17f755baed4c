//! What the environment says of the faults.

use heapmark_worker::{Knob, ReadBack};

macro_rules! knob {
    ($name:literal, $variable:ident) => {
        Knob {
            name: $name,
            variable: $variable,
            template: "{}",
            joiner: None,
            read: ReadBack::Allocator(|out| write!(out, "{}", number($variable))),
        }
    };
}

const CRASH: &str = "HEAPMARK_HANDICAP_CRASH_AFTER";
const HANG: &str = "HEAPMARK_HANDICAP_HANG_AFTER";
const LEAK: &str = "HEAPMARK_HANDICAP_LEAK_BYTES_PER_REQUEST";
const STALL: &str = "HEAPMARK_HANDICAP_STALL_MS";

/// The greatest value of any: a leak of a gibibyte, and more requests than a test can have.
const MOST: u64 = 1 << 30;

/// The knobs: whole numbers, of which 0 is the same as none.
pub(crate) const KNOBS: [Knob; 4] = [
    knob!("crash_after", CRASH),
    knob!("hang_after", HANG),
    knob!("leak_bytes_per_request", LEAK),
    knob!("stall_ms", STALL),
];

/// What goes wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// Requests after which the process aborts.
    pub(crate) crash_after: u64,
    /// Requests after which none is answered.
    pub(crate) hang_after: u64,
    /// Bytes that each request leaves.
    pub(crate) leak: u64,
    /// For how many milliseconds nobody is answered in each second.
    pub(crate) stall_ms: u64,
}

impl Faults {
    /// As the knobs are set.
    pub(crate) fn from_environment() -> Self {
        Self { crash_after: number(CRASH), hang_after: number(HANG), leak: number(LEAK), stall_ms: number(STALL) }
    }
}

/// The number that a variable holds. Nothing goes wrong where it holds none, and the harness sees that the knob did not take.
fn number(variable: &str) -> u64 {
    std::env::var(variable).ok().as_deref().and_then(parse).unwrap_or_default()
}

/// Digits only, up to [`MOST`].
fn parse(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && *number <= MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_digits_up_to_a_bound() {
        for (text, number) in [("0", Some(0)), ("4096", Some(4096)), ("1073741824", Some(MOST))] {
            assert_eq!(parse(text), number);
        }
        for wrong in ["", "-1", "+1", "4k", "1.5", "1073741825", "99999999999999999999"] {
            assert_eq!(parse(wrong), None, "{wrong:?}");
        }
    }
}

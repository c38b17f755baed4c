//! What the environment says of the losses.

use heapmark_worker::{Knob, ReadBack};

use crate::percent::Percent;

const SLOWDOWN: &str = "HEAPMARK_HANDICAP_SLOWDOWN_PCT";
const RSS: &str = "HEAPMARK_HANDICAP_RSS_PCT";
const LEAK: &str = "HEAPMARK_HANDICAP_LEAK_BYTES_PER_UNIT";

/// The most bytes that a unit may leak: 1 GiB.
const MOST_LEAKED: u64 = 1 << 30;

/// The knobs: shares from 0 to 100, with at most one digit behind the point, and a number of bytes.
pub(crate) const KNOBS: [Knob; 3] = [
    Knob {
        name: "slowdown_pct",
        variable: SLOWDOWN,
        template: "{}",
        joiner: None,
        read: ReadBack::Allocator(|out| write!(out, "{}", percent(SLOWDOWN))),
    },
    Knob {
        name: "rss_pct",
        variable: RSS,
        template: "{}",
        joiner: None,
        read: ReadBack::Allocator(|out| write!(out, "{}", percent(RSS))),
    },
    Knob {
        name: "leak_bytes_per_unit",
        variable: LEAK,
        template: "{}",
        joiner: None,
        read: ReadBack::Allocator(|out| write!(out, "{}", bytes(LEAK))),
    },
];

/// What is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Loss {
    /// Units that are done without being counted.
    pub(crate) slowdown: Percent,
    /// Peak resident memory that is kept for nothing.
    pub(crate) rss: Percent,
    /// Bytes that each unit allocates, writes and never frees.
    pub(crate) leak: u64,
}

impl Loss {
    /// As the knobs are set.
    pub(crate) fn from_environment() -> Self {
        Self { slowdown: percent(SLOWDOWN), rss: percent(RSS), leak: bytes(LEAK) }
    }
}

/// The share that a variable holds. Nothing is lost where it holds none, and the harness sees that the knob did not take.
fn percent(variable: &str) -> Percent {
    let value = std::env::var(variable).ok();
    value.as_deref().and_then(Percent::parse).unwrap_or_default()
}

/// The number of bytes that a variable holds, like [`percent`].
fn bytes(variable: &str) -> u64 {
    let value = std::env::var(variable).ok();
    value.as_deref().and_then(parse_bytes).unwrap_or_default()
}

/// Digits only, up to [`MOST_LEAKED`].
fn parse_bytes(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|bytes| is_number && *bytes <= MOST_LEAKED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_digits_up_to_a_bound() {
        for (text, bytes) in [("0", Some(0)), ("4096", Some(4096)), ("1073741824", Some(MOST_LEAKED))] {
            assert_eq!(parse_bytes(text), bytes);
        }
        for wrong in ["", "-1", "+1", "4k", "1.5", "1073741825", "99999999999999999999"] {
            assert_eq!(parse_bytes(wrong), None, "{wrong:?}");
        }
    }
}

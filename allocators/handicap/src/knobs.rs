//! What the environment says of the losses.

use heapmark_worker::{Knob, ReadBack};

use crate::percent::Percent;

const SLOWDOWN: &str = "HEAPMARK_HANDICAP_SLOWDOWN_PCT";
const RSS: &str = "HEAPMARK_HANDICAP_RSS_PCT";

/// The knobs: from 0 to 100, with at most one digit behind the point.
pub(crate) const KNOBS: [Knob; 2] = [
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
];

/// What is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Loss {
    /// Units that are done without being counted.
    pub(crate) slowdown: Percent,
    /// Peak resident memory that is kept for nothing.
    pub(crate) rss: Percent,
}

impl Loss {
    /// As the knobs are set.
    pub(crate) fn from_environment() -> Self {
        Self { slowdown: percent(SLOWDOWN), rss: percent(RSS) }
    }
}

/// The share that a variable holds. Nothing is lost where it holds none, and the harness sees that the knob did not take.
fn percent(variable: &str) -> Percent {
    let value = std::env::var(variable).ok();
    value.as_deref().and_then(Percent::parse).unwrap_or_default()
}

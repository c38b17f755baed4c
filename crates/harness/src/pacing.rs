//! Whether a case gets another block.

use std::time::{Duration, Instant};

use crate::Nanos;
use crate::stats::{Progress, Stop, enough};

/// Blocks after which a precision is given up: what is not reached then is out of reach on this machine today.
const MOST_FOR_PRECISION: u32 = 400;

/// The rule of a run and the time it began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacing {
    rule: Stop,
    begun: Instant,
    /// Time that was used up before an interruption.
    used_before: Duration,
}

impl Pacing {
    pub(crate) fn new(rule: Stop, used_before: Duration) -> Self {
        Self { rule, begun: Instant::now(), used_before }
    }

    /// Whether a case has enough after so many blocks. `next` is how long another would take; `pairs` gives the log-ratios
    /// whose precision matters, and is only asked where the rule is about it.
    pub(crate) fn is_enough(&self, blocks: u32, next: Duration, pairs: impl FnOnce() -> Vec<Vec<f64>>) -> bool {
        let by_precision = matches!(self.rule, Stop::Precision(_));
        let pairs = if by_precision { pairs() } else { Vec::new() };
        let elapsed: Nanos = self.used_before.saturating_add(self.begun.elapsed()).saturating_add(next).into();
        let progress = Progress { blocks, elapsed, pairs: &pairs };
        let limit = Stop::Blocks(if by_precision { MOST_FOR_PRECISION } else { u32::MAX });
        enough(&progress, &[self.rule, limit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn blocks_are_counted() {
        let pacing = Pacing::new(Stop::Blocks(3), Duration::ZERO);
        let enough: Vec<bool> = (0..5).map(|done| pacing.is_enough(done, SECOND, Vec::new)).collect();
        assert_eq!(enough, [false, false, false, true, true]);
    }

    #[test]
    fn a_block_that_does_not_fit_is_not_begun() {
        let minute = Nanos(60_000_000_000);
        let enough = |used| Pacing::new(Stop::Budget(minute), used * SECOND).is_enough(1, SECOND, Vec::new);
        assert!(!enough(0) && !enough(50));
        assert!(enough(60) && enough(1000), "what was used before an interruption counts");
    }

    #[test]
    fn a_precision_out_of_reach_ends_too() {
        let pacing = Pacing::new(Stop::Precision(0.01), Duration::ZERO);
        let wide = || vec![vec![-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0]];
        assert!(!pacing.is_enough(12, SECOND, wide));
        assert!(pacing.is_enough(12, SECOND, || vec![vec![0.0; 12]]));
        assert!(pacing.is_enough(MOST_FOR_PRECISION, SECOND, wide));
    }
}

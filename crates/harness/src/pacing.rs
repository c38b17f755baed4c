//! Whether a case gets another block.

use std::time::{Duration, Instant};

use crate::settings::Stop;

/// Blocks before the first look at the precision, so that the width of an interval means something.
pub(crate) const LEAST_FOR_PRECISION: u32 = 12;

/// Blocks between looks at the precision.
pub(crate) const LOOK_EVERY: u32 = 5;

/// Blocks after which a precision is given up: what is not reached then is out of reach on this machine today.
pub(crate) const MOST_FOR_PRECISION: u32 = 400;

/// The rule of a run and the time it began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacing {
    rule: Stop,
    begun: Instant,
    /// Time that was used up before an interruption.
    used_before: Duration,
}

/// What is known of a case when it asks for another block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    /// Blocks that are complete.
    pub(crate) done: u32,
    /// The longest block so far; before the first, a guess.
    pub(crate) block: Duration,
}

impl Pacing {
    pub(crate) fn new(rule: Stop, used_before: Duration) -> Self {
        Self { rule, begun: Instant::now(), used_before }
    }

    /// Whether the case has enough. `half_width` is half of its widest interval, as a fraction, and is only asked for when
    /// it is time to look; the verdicts are never looked at.
    pub(crate) fn is_enough(&self, progress: Progress, half_width: impl FnOnce() -> Option<f64>) -> bool {
        match self.rule {
            Stop::Blocks(blocks) => progress.done >= blocks,
            Stop::Budget(budget) => {
                let used = self.used_before + self.begun.elapsed();
                used + progress.block > budget.duration()
            }
            Stop::Precision(wanted) => {
                let done = progress.done;
                let is_time = done >= LEAST_FOR_PRECISION && (done - LEAST_FOR_PRECISION).is_multiple_of(LOOK_EVERY);
                done >= MOST_FOR_PRECISION || (is_time && half_width().is_some_and(|width| width <= wanted))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Nanos;

    fn progress(done: u32) -> Progress {
        Progress { done, block: Duration::from_secs(1) }
    }

    #[test]
    fn blocks_are_counted() {
        let pacing = Pacing::new(Stop::Blocks(3), Duration::ZERO);
        let enough: Vec<bool> = (0..5).map(|done| pacing.is_enough(progress(done), || None)).collect();
        assert_eq!(enough, [false, false, false, true, true]);
    }

    #[test]
    fn a_block_that_does_not_fit_is_not_begun() {
        let minute = Nanos(60_000_000_000);
        let enough =
            |used| Pacing::new(Stop::Budget(minute), Duration::from_secs(used)).is_enough(progress(1), || None);
        assert!(!enough(0) && !enough(50));
        assert!(enough(60) && enough(1000), "what was used before an interruption counts");
    }

    #[test]
    fn precision_is_looked_at_seldom_and_not_too_early() {
        let pacing = Pacing::new(Stop::Precision(0.01), Duration::ZERO);
        let mut looks = Vec::new();
        for done in 0..30 {
            let mut looked = false;
            let enough = pacing.is_enough(progress(done), || {
                looked = true;
                Some(0.02)
            });
            assert!(!enough);
            if looked {
                looks.push(done);
            }
        }
        assert_eq!(looks, [12, 17, 22, 27]);
        assert!(pacing.is_enough(progress(12), || Some(0.01)));
        assert!(!pacing.is_enough(progress(12), || None), "no interval is no precision");
        assert!(pacing.is_enough(progress(MOST_FOR_PRECISION), || None));
    }
}

//! From a ratio with its interval to a verdict.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Estimate;

/// Blocks below which every row is unclear: the signed-rank interval of 95 % needs six.
pub const MINIMUM_BLOCKS: usize = 6;

/// How many half-widths of the 95 % interval an effect must be away from a margin to clear it in four of five runs:
/// (1.96 + 0.84) ÷ 1.96 standard errors, by the normal distribution.
pub(super) const DETECTION: f64 = 1.43;

/// The same for an effect between two margins, in the middle at worst: (1.96 + 1.28) ÷ 1.96, missing either side in one
/// of ten runs.
pub(super) const DETECTION_INSIDE: f64 = 1.65;

/// A ratio as large as the margin on paper may differ from it in the last digits, having been a logarithm.
const ROUNDING: f64 = 1e-12;

/// What a smaller ratio means for a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Less time: faster.
    Time,
    /// Less memory: leaner.
    Memory,
}

/// How a contender compares with the reference on one metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Takes less time, by more than the margin.
    Faster,
    /// Takes more time, by more than the margin.
    Slower,
    /// Takes less memory, by more than the margin.
    Leaner,
    /// Takes more memory, by more than the margin.
    Fatter,
    /// Differs by less than the margin.
    Same,
    /// The interval is too wide to say, or there are too few blocks.
    Unclear,
}

impl Verdict {
    /// Whether a difference is called.
    pub fn is_difference(self) -> bool {
        !matches!(self, Self::Same | Self::Unclear)
    }

    /// Whether a difference is called, and it is one for the better.
    pub fn is_better(self) -> bool {
        matches!(self, Self::Faster | Self::Leaner)
    }

    /// Whether anything is called, a difference or that there is none.
    pub fn is_clear(self) -> bool {
        self != Self::Unclear
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Leaner => "leaner",
            Self::Fatter => "fatter",
            Self::Same => "same",
            Self::Unclear => "unclear",
        })
    }
}

/// Compares the interval with a practical margin (0.01 for 1 %): wholly beyond it, a difference; wholly inside it, the
/// same; else unclear. An effect as large as the margin is never called, nor anything by a margin that is negative or
/// not a number.
pub fn judge(estimate: &Estimate, margin: f64, direction: Direction) -> Verdict {
    let enough = estimate.blocks >= MINIMUM_BLOCKS && margin >= 0.0;
    let Some((low, high)) = estimate.interval().filter(|_| enough) else {
        return Verdict::Unclear;
    };
    let (less, more) = match direction {
        Direction::Time => (Verdict::Faster, Verdict::Slower),
        Direction::Memory => (Verdict::Leaner, Verdict::Fatter),
    };
    // Twice and half are equally far away from 1, so the lower bound is the inverse of the upper one.
    let (least, most) = (1.0 / (1.0 + margin), 1.0 + margin);
    let below = |value: f64, bound: f64| value < bound * (1.0 - ROUNDING);
    let above = |value: f64, bound: f64| value > bound * (1.0 + ROUNDING);
    if below(high, least) {
        less
    } else if above(low, most) {
        more
    } else if above(low, least) && below(high, most) {
        Verdict::Same
    } else {
        Verdict::Unclear
    }
}

/// The least true difference that a comparison as precise as this one finds in four of five runs, as a fraction (0.03
/// for 3 %); nothing where there is no interval, or where the margin is negative or not a number.
///
/// Margin + 1.43 × the half-width of the 95 % interval, which is 80 % power.
pub fn minimum_detectable(estimate: &Estimate, margin: f64) -> Option<f64> {
    let (low, high) = estimate.interval().filter(|_| margin >= 0.0)?;
    let half_width = (high.ln() - low.ln()) / 2.0;
    Some((margin.ln_1p() + DETECTION * half_width).exp_m1()).filter(|effect| effect.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(low: f64, high: f64, blocks: usize) -> Verdict {
        let estimate = Estimate { ratio: (low * high).sqrt(), low: Some(low), high: Some(high), blocks };
        judge(&estimate, 0.01, Direction::Time)
    }

    #[test]
    fn verdicts() {
        for (low, high, blocks, expected) in [
            (0.80, 0.90, 10, Verdict::Faster),
            (1.02, 1.10, 10, Verdict::Slower),
            (0.995, 1.005, 10, Verdict::Same),
            (0.97, 1.03, 10, Verdict::Unclear),
            (0.80, 0.995, 10, Verdict::Unclear),
            (1.01, 1.10, 10, Verdict::Unclear),
            (1.0, 1.0, 10, Verdict::Same),
            (0.80, 0.90, 5, Verdict::Unclear),
        ] {
            assert_eq!(verdict(low, high, blocks), expected, "{low}..{high} from {blocks}");
        }
    }

    #[test]
    fn an_effect_as_large_as_the_margin_is_never_called() {
        // Exactly the margin in every block, as sizes in bytes can have it.
        for margin in [0.0, 0.005, 0.01, 0.05, 0.3, 1.0] {
            for ratio in [1.0 + margin, 1.0 / (1.0 + margin)] {
                let estimate = crate::stats::estimate(&[f64::ln(ratio); 10]).unwrap();
                assert_eq!(judge(&estimate, margin, Direction::Memory), Verdict::Unclear, "{ratio}, {margin}");
            }
        }
    }

    #[test]
    fn memory_has_its_own_words() {
        let estimate = Estimate { ratio: 2.0, low: Some(1.9), high: Some(2.1), blocks: 10 };
        assert_eq!(judge(&estimate, 0.01, Direction::Memory), Verdict::Fatter);
        assert_eq!(judge(&estimate.inverted(), 0.01, Direction::Memory), Verdict::Leaner);
    }

    #[test]
    fn without_an_interval_nothing_is_called() {
        let estimate = Estimate { ratio: 9.0, low: None, high: None, blocks: 3 };
        assert_eq!(judge(&estimate, 0.01, Direction::Time), Verdict::Unclear);
        assert_eq!(minimum_detectable(&estimate, 0.01), None);
    }

    #[test]
    fn odd_margins_call_nothing() {
        let estimate = Estimate { ratio: 2.0, low: Some(1.9), high: Some(2.1), blocks: 10 };
        for margin in [-2.0, -0.01, f64::NAN] {
            assert_eq!(judge(&estimate, margin, Direction::Time), Verdict::Unclear, "{margin}");
            assert_eq!(minimum_detectable(&estimate, margin), None, "{margin}");
        }
    }

    #[test]
    fn the_detectable_effect_grows_with_the_width() {
        let of = |low, high| {
            minimum_detectable(&Estimate { ratio: 1.0, low: Some(low), high: Some(high), blocks: 10 }, 0.01).unwrap()
        };
        assert!((of(1.0, 1.0) - 0.01).abs() < 1e-12);
        assert!(of(0.98, 1.02) > 0.03 && of(0.98, 1.02) < 0.05);
    }
}

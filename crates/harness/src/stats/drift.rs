//! Whether throughput keeps up over a run.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::estimate::CONFIDENCE;
use super::{Growth, MINIMUM_BLOCKS, signed_rank_interval, walsh_median};

/// What throughput does over a run, going by several processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pace {
    /// Falls by more than the margin.
    Declining,
    /// Changes by less than the margin.
    Steady,
    /// Rises by more than the margin.
    Rising,
    /// The intervals are too wide to say, or the processes too few.
    Unclear,
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Declining => "declining",
            Self::Steady => "steady",
            Self::Rising => "rising",
            Self::Unclear => "unclear",
        })
    }
}

/// The change of several processes' throughput, in each turn, as a fraction of its level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// The Hodges–Lehmann estimate over the processes of the robust slope.
    pub per_turn: f64,
    /// Where its 95 % interval begins; absent where the processes are too few for one.
    pub low: Option<f64>,
    /// Where that ends.
    pub high: Option<f64>,
    /// Processes it rests on.
    pub samples: usize,
    /// What that means.
    pub pace: Pace,
}

impl Drift {
    /// The drift of curves that are each of a process of its own. Nothing for no curves.
    ///
    /// It is called declining or rising where the interval of the slope, or of the difference between the first and the last
    /// quarter, lies beyond the margin, and the estimate of the other not beyond it on the other side; steady where both
    /// intervals lie within it. The difference sees a single step, which the slope passes over.
    pub fn of(growths: &[Growth], margin: f64) -> Option<Self> {
        let part = |of: fn(&Growth) -> f64| -> Vec<f64> { growths.iter().map(of).collect() };
        let (whole, rise) = (part(|growth| growth.whole), part(|growth| growth.rise));
        let interval = |values: &[f64]| signed_rank_interval(values, CONFIDENCE);
        let (slope, difference) = (interval(&whole), interval(&rise));
        let (per_turn, rises) = (walsh_median(&whole)?, walsh_median(&rise)?);
        let enough = growths.len() >= MINIMUM_BLOCKS && margin >= 0.0;
        let pace = match (slope, difference) {
            (Some(slope), Some(difference)) if enough => {
                let falls = |(_, high): (f64, f64)| high < -margin;
                let climbs = |(low, _): (f64, f64)| low > margin;
                let stays = |(low, high): (f64, f64)| low > -margin && high < margin;
                if (falls(slope) && rises < margin) || (falls(difference) && per_turn < margin) {
                    Pace::Declining
                } else if (climbs(slope) && rises > -margin) || (climbs(difference) && per_turn > -margin) {
                    Pace::Rising
                } else if stays(slope) && stays(difference) {
                    Pace::Steady
                } else {
                    Pace::Unclear
                }
            }
            _ => Pace::Unclear,
        };
        let (low, high) = (slope.map(|(low, _)| low), slope.map(|(_, high)| high));
        Some(Self { per_turn, low, high, samples: growths.len(), pace })
    }

    /// The interval, where there is one.
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.low.zip(self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::GROWTH_MARGIN;

    fn drift(turns: u32, of: impl Fn(f64) -> f64) -> Drift {
        let curve: Vec<f64> = (0..turns).map(|turn| of(f64::from(turn))).collect();
        Drift::of(&[Growth::from_the_start(&curve).unwrap(); 6], GROWTH_MARGIN).unwrap()
    }

    #[test]
    fn shapes_are_called_what_they_are() {
        let pace = |of: &dyn Fn(f64) -> f64| drift(60, of).pace;
        for (what, shape, expected) in [
            ("a level", &(|_| 3500.0) as &dyn Fn(f64) -> f64, Pace::Steady),
            ("a slow fall", &|turn| 3500.0 - 10.0 * turn, Pace::Declining),
            ("a slow rise", &|turn| 3500.0 + 10.0 * turn, Pace::Rising),
            ("a fall that does not matter", &|turn| 3500.0 - turn, Pace::Steady),
            (
                "half of it within a fifth of the run, and then a level",
                &|turn| if turn < 12.0 { 3500.0 } else { 1700.0 },
                Pace::Declining,
            ),
            ("half of it near the end", &|turn| if turn < 40.0 { 3500.0 } else { 1700.0 }, Pace::Declining),
            ("a dip and back", &|turn| if (20.0..26.0).contains(&turn) { 100.0 } else { 3500.0 }, Pace::Steady),
            ("two speeds by turns", &|turn| if turn % 3.0 < 1.0 { 3500.0 } else { 3000.0 }, Pace::Steady),
        ] {
            assert_eq!(pace(shape), expected, "{what}");
        }
    }

    #[test]
    fn a_fall_is_told_in_each_turn() {
        let drift = drift(41, |turn| 1000.0 - 10.0 * (turn - 20.0));
        assert!((drift.per_turn + 0.01).abs() < 1e-9, "{drift:?}");
        let (low, high) = drift.interval().unwrap();
        assert!(low <= drift.per_turn && drift.per_turn <= high && drift.samples == 6, "{drift:?}");
    }

    #[test]
    fn few_processes_and_those_that_disagree_are_unclear() {
        let falls = Growth { whole: -0.01, late: -0.01, rise: -0.01 };
        let stays = Growth { whole: 0.0, late: 0.0, rise: 0.0 };
        let pace = |growths: &[Growth]| Drift::of(growths, GROWTH_MARGIN).unwrap().pace;
        assert_eq!(pace(&[falls; 5]), Pace::Unclear);
        assert_eq!(pace(&[falls; 6]), Pace::Declining);
        assert_eq!(pace(&[falls, stays, falls, stays, falls, stays, falls, stays]), Pace::Unclear);
        let torn = Growth { whole: -0.01, late: 0.0, rise: 0.01 };
        assert_eq!(pace(&[torn; 6]), Pace::Unclear, "a slope against the difference");
        assert_eq!(Drift::of(&[falls; 9], f64::NAN).unwrap().pace, Pace::Unclear);
        assert_eq!(Drift::of(&[], GROWTH_MARGIN), None);
    }
}

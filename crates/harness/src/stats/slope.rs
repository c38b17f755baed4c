//! Whether a curve of memory over rounds still grows.
//!
//! A curve is reduced to its [`Growth`] by robust slopes, since a heap grows in steps and now and then gives much back at
//! once; the growths of several processes become a [`Slope`] with an interval and a [`Trend`]. Sen, "Estimates of the
//! regression coefficient based on Kendall's tau", Journal of the American Statistical Association 63 (1968).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::estimate::CONFIDENCE;
use super::{MINIMUM_BLOCKS, median, signed_rank_interval, walsh_median};

/// Growth that is too small to matter: a thousandth of the level in each turn.
pub const GROWTH_MARGIN: f64 = 0.001;

/// One in so many turns, from the first on, is warm-up: every heap grows until it has what its program needs.
const WARM_UP: usize = 4;

/// Turns after the warm-up below which there is no slope: halves and quarters of fewer say nothing.
const LEAST_TURNS: usize = 8;

/// How one curve grows after its warm-up, in each turn, as fractions of its level: the median of what is left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The robust slope of all of it.
    pub whole: f64,
    /// The robust slope of its second half.
    pub late: f64,
    /// The difference between the medians of its last and its first quarter, spread over the turns between them. It sees a
    /// single step, which the slope of the whole may pass over.
    pub rise: f64,
}

impl Growth {
    /// The growth of a curve with a value for each turn. Nothing where there are too few turns, where one is not finite, or
    /// where the level is not above zero.
    pub fn of(curve: &[f64]) -> Option<Self> {
        Self::from_the_start(&curve[curve.len().div_ceil(WARM_UP)..]).filter(|_| curve.iter().all(|v| v.is_finite()))
    }

    /// The same without a warm-up, for what needs none. Nothing in the same cases.
    pub fn from_the_start(rest: &[f64]) -> Option<Self> {
        if rest.len() < LEAST_TURNS || !rest.iter().all(|value| value.is_finite()) {
            return None;
        }
        let level = median(rest).filter(|level| *level > 0.0)?;
        let quarter = rest.len() / 4;
        let (first, last) = (median(&rest[..quarter])?, median(&rest[rest.len() - quarter..])?);
        let growth = Self {
            whole: theil_sen(rest)? / level,
            late: theil_sen(&rest[rest.len() / 2..])? / level,
            rise: (last / level - first / level) / (rest.len() - quarter) as f64,
        };
        [growth.whole, growth.late, growth.rise].into_iter().all(f64::is_finite).then_some(growth)
    }
}

/// The slope of values that are a step apart: the median of the slopes between every two of them. Up to 29 % of the values
/// may be anything. Nothing for fewer than two values, or where a slope is not a number.
pub fn theil_sen(values: &[f64]) -> Option<f64> {
    let mut slopes = Vec::with_capacity(values.len() * values.len().saturating_sub(1) / 2);
    for (index, from) in values.iter().enumerate() {
        for (steps, to) in values[index..].iter().enumerate().skip(1) {
            // Divided before the difference is taken, so that it cannot overflow.
            slopes.push(to / steps as f64 - from / steps as f64);
        }
    }
    middle(slopes)
}

/// The median of many values, without sorting all of them. Nothing in the same cases as [`median`].
fn middle(mut values: Vec<f64>) -> Option<f64> {
    if values.is_empty() || values.iter().any(|value| value.is_nan()) {
        return None;
    }
    let half = values.len() / 2;
    let is_odd = values.len() % 2 == 1;
    let (below, upper, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    let lower = if is_odd { *upper } else { below.iter().copied().max_by(f64::total_cmp)? };
    Some(lower / 2.0 + *upper / 2.0).filter(|middle| !middle.is_nan())
}

/// What a curve does, going by several processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trend {
    /// Grows by more than the margin, and still does in its second half.
    Growing,
    /// Grew, or may have, but does not any more: its second half is within the margin.
    Plateau,
    /// Does not grow by more than the margin anywhere after the warm-up. What falls is flat too.
    Flat,
    /// The intervals are too wide to say, or the processes too few.
    Unclear,
}

impl fmt::Display for Trend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Growing => "growing",
            Self::Plateau => "plateau",
            Self::Flat => "flat",
            Self::Unclear => "unclear",
        })
    }
}

/// The growth of several processes, in each turn, as a fraction of the level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slope {
    /// After the warm-up: the Hodges–Lehmann estimate over the processes.
    pub per_turn: f64,
    /// Where its 95 % interval begins; absent where the processes are too few for one.
    pub low: Option<f64>,
    /// Where that ends.
    pub high: Option<f64>,
    /// The same of the second half.
    pub late: f64,
    /// Processes it rests on.
    pub samples: usize,
    /// What that means.
    pub trend: Trend,
}

impl Slope {
    /// The slope of curves that are each of a process of its own. Nothing for no curves.
    ///
    /// A curve is called growing where the interval of the whole lies above the margin, and that of the second half above
    /// zero with its estimate above the margin. Where the second half's interval lies below the margin it is flat if those
    /// of the whole and of the rise do too, else a plateau.
    pub fn of(growths: &[Growth], margin: f64) -> Option<Self> {
        let part = |of: fn(&Growth) -> f64| -> Vec<f64> { growths.iter().map(of).collect() };
        let (whole, late, rise) = (part(|g| g.whole), part(|g| g.late), part(|g| g.rise));
        let interval = |values: &[f64]| signed_rank_interval(values, CONFIDENCE);
        let (of_whole, of_late) = (interval(&whole), interval(&late));
        let (per_turn, late_estimate) = (walsh_median(&whole)?, walsh_median(&late)?);
        let enough = growths.len() >= MINIMUM_BLOCKS && margin >= 0.0;
        let trend = match (of_whole, of_late, interval(&rise)) {
            (Some(whole), Some(late), Some(rise)) if enough => {
                if late.1 < margin {
                    if whole.1 < margin && rise.1 < margin { Trend::Flat } else { Trend::Plateau }
                } else if whole.0 > margin && late.0 > 0.0 && late_estimate > margin {
                    Trend::Growing
                } else {
                    Trend::Unclear
                }
            }
            _ => Trend::Unclear,
        };
        Some(Self {
            per_turn,
            low: of_whole.map(|(low, _)| low),
            high: of_whole.map(|(_, high)| high),
            late: late_estimate,
            samples: growths.len(),
            trend,
        })
    }

    /// The interval, where there is one.
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.low.zip(self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(turns: u32, of: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..turns).map(|turn| of(f64::from(turn))).collect()
    }

    fn trend(curve: &[f64]) -> Trend {
        Slope::of(&[Growth::of(curve).unwrap(); 6], GROWTH_MARGIN).unwrap().trend
    }

    #[test]
    fn the_slope_of_a_line_is_its_own_whatever_a_quarter_of_the_values_is() {
        let mut values = curve(41, |turn| 5.0 + 0.25 * turn);
        assert!((theil_sen(&values).unwrap() - 0.25).abs() < 1e-12);
        for wild in values.iter_mut().step_by(4) {
            *wild = 1e6;
        }
        assert!((theil_sen(&values).unwrap() - 0.25).abs() < 0.2, "{:?}", theil_sen(&values));
    }

    #[test]
    fn the_middle_is_the_median() {
        let mut rng = fastrand::Rng::with_seed(1);
        for count in 0..40 {
            let values: Vec<f64> = (0..count).map(|_| f64::from(rng.i8(..))).collect();
            assert_eq!(middle(values.clone()), median(&values), "{values:?}");
        }
        assert_eq!(middle(vec![f64::NEG_INFINITY, f64::INFINITY]), None);
        assert_eq!(middle(vec![1.0, f64::NAN]), None);
    }

    #[test]
    fn growth_is_relative_to_the_level_after_the_warm_up() {
        // Twice the size at once, then a hundredth of the level in the middle of the rest for each turn.
        let growth = Growth::of(&curve(40, |turn| if turn < 10.0 { 1.0 } else { 100.0 + (turn - 24.5) })).unwrap();
        for part in [growth.whole, growth.late, growth.rise] {
            assert!((part - 0.01).abs() < 1e-9, "{growth:?}");
        }
    }

    #[test]
    fn shapes_are_called_what_they_are() {
        for (shape, expected) in [
            (curve(60, |_| 50.0), Trend::Flat),
            (curve(60, |turn| 50.0 - 0.3 * turn), Trend::Flat),
            (curve(60, |turn| 50.0 + 0.3 * turn), Trend::Growing),
            (curve(60, |turn| 50.0 + 0.01 * turn), Trend::Flat),
            // Saturates: the second half hardly moves.
            (curve(60, |turn| 80.0 - 60.0 * (-turn / 8.0).exp()), Trend::Plateau),
            // The warm-up alone rises.
            (curve(60, |turn| if turn < 15.0 { turn } else { 15.0 }), Trend::Flat),
            // A step behind the warm-up, and no more: the slope of the whole does not see it.
            (curve(60, |turn| if turn < 24.0 { 50.0 } else { 60.0 }), Trend::Plateau),
            // The logarithm, from nothing: 0.4 % a turn around the sixtieth is growth as far as can be seen.
            (curve(60, |turn| (turn + 2.0).ln()), Trend::Growing),
            // The logarithm on a level that it does not matter for.
            (curve(60, |turn| 100.0 + (turn + 2.0).ln()), Trend::Flat),
            // A stairway: of few steps or many, it goes up.
            (curve(60, |turn| 50.0 + 3.0 * (turn / 7.0).floor()), Trend::Growing),
            // Rounds of two sizes in turn.
            (curve(60, |turn| 50.0 + 5.0 * (turn % 2.0)), Trend::Flat),
        ] {
            assert_eq!(trend(&shape), expected, "{shape:?}: {:?}", Growth::of(&shape));
        }
    }

    #[test]
    fn few_turns_and_few_processes_are_no_evidence() {
        assert_eq!(Growth::of(&curve(10, |turn| turn + 1.0)), None);
        assert!(Growth::of(&curve(15, |turn| turn + 1.0)).is_some(), "the turns of an ordinary sample will do");
        let growth = Growth::of(&curve(60, |turn| turn + 1.0)).unwrap();
        assert_eq!(Slope::of(&[growth; 5], GROWTH_MARGIN).unwrap().trend, Trend::Unclear);
        assert_eq!(Slope::of(&[growth; 6], GROWTH_MARGIN).unwrap().trend, Trend::Growing);
        assert_eq!(Slope::of(&[], GROWTH_MARGIN), None);
    }

    #[test]
    fn processes_that_disagree_are_unclear() {
        let grows = Growth { whole: 0.01, late: 0.01, rise: 0.01 };
        let flat = Growth { whole: 0.0, late: 0.0, rise: 0.0 };
        let slope = Slope::of(&[grows, flat, grows, flat, grows, flat, grows, flat], GROWTH_MARGIN).unwrap();
        assert_eq!(slope.trend, Trend::Unclear);
        assert!((slope.per_turn - 0.005).abs() < 1e-12 && slope.interval() == Some((0.0, 0.01)), "{slope:?}");
    }

    #[test]
    fn every_input_has_a_defined_answer() {
        assert_eq!(theil_sen(&[]), None);
        assert_eq!(theil_sen(&[1.0]), None);
        assert_eq!(theil_sen(&[1.0, f64::NAN]), None);
        assert_eq!(Growth::of(&[0.0; 60]), None, "no level to be relative to");
        assert_eq!(Growth::of(&[-5.0; 60]), None);
        assert_eq!(Growth::of(&[f64::INFINITY; 60]), None);
        assert!(Growth::of(&[f64::MAX; 60]).is_some_and(|growth| growth.whole == 0.0));
        let growth = Growth { whole: 0.1, late: 0.1, rise: 0.1 };
        for margin in [f64::NAN, -1.0] {
            assert_eq!(Slope::of(&[growth; 9], margin).unwrap().trend, Trend::Unclear);
        }
    }
}

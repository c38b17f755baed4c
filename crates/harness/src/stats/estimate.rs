//! From paired blocks to a ratio with an interval.

use serde::{Deserialize, Serialize};

use super::{signed_rank_interval, walsh_median};

/// The confidence of every interval shown.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// A ratio of contender to reference with its 95 % interval, from paired blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Contender ÷ reference.
    pub ratio: f64,
    /// The interval's lower end; absent where there are too few blocks for an interval.
    pub low: Option<f64>,
    /// The interval's upper end; absent like `low`.
    pub high: Option<f64>,
    /// Blocks it rests on.
    pub blocks: usize,
}

impl Estimate {
    /// The interval, where there is one.
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.low.zip(self.high)
    }

    /// The inverse ratio: of times, when throughputs are to be shown.
    #[must_use]
    pub fn inverted(&self) -> Self {
        let invert = |value: f64| 1.0 / value;
        Self { ratio: invert(self.ratio), low: self.high.map(invert), high: self.low.map(invert), blocks: self.blocks }
    }
}

/// The estimate from the log-ratios of the blocks. Nothing for no blocks, or where a log-ratio is not finite: a ratio
/// to zero is not a number that can be compared. Nothing either where a ratio is too large or too small for a number,
/// so that what there is can be inverted and stored.
pub fn estimate(log_ratios: &[f64]) -> Option<Estimate> {
    let centre = walsh_median(log_ratios)?;
    let interval = signed_rank_interval(log_ratios, CONFIDENCE);
    let (low, high) = (interval.map(|(low, _)| low.exp()), interval.map(|(_, high)| high.exp()));
    let ratio = centre.exp();
    let representable = [Some(ratio), low, high].into_iter().flatten().all(f64::is_normal);
    representable.then_some(Estimate { ratio, low, high, blocks: log_ratios.len() })
}

/// The middle value, or the mean of the two in the middle. Nothing for no values, where one is not a number, or where
/// the two in the middle are opposite infinities.
pub fn median(values: &[f64]) -> Option<f64> {
    if values.iter().any(|value| value.is_nan()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    median_of_sorted(&sorted).filter(|middle| !middle.is_nan())
}

pub(super) fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        // Halved before they are added, so that the sum cannot overflow.
        _ => Some(sorted[middle - 1] / 2.0 + sorted[middle] / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[1.0, f64::NAN]), None);
        assert_eq!(median(&[f64::MAX, f64::MAX]), Some(f64::MAX));
        assert_eq!(median(&[f64::NEG_INFINITY, f64::INFINITY]), None);
    }

    #[test]
    fn a_ratio_that_is_no_number_is_no_estimate() {
        for log_ratios in [&[][..], &[f64::NAN], &[f64::INFINITY], &[1e4], &[-1e4], &[0.0; 5], &[0.0]] {
            let expected = log_ratios.iter().all(|&ratio| ratio.abs() < 1.0) && !log_ratios.is_empty();
            assert_eq!(estimate(log_ratios).is_some(), expected, "{log_ratios:?}");
        }
    }

    #[test]
    fn an_estimate_inverts_with_its_interval() {
        let logs: Vec<f64> = (0..8).map(|i| (2.0_f64 + f64::from(i) * 0.01).ln()).collect();
        let time = estimate(&logs).unwrap();
        let throughput = time.inverted();
        assert!((throughput.ratio * time.ratio - 1.0).abs() < 1e-12);
        let (low, high) = throughput.interval().unwrap();
        assert!(low < throughput.ratio && throughput.ratio < high);
    }
}

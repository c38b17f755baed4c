//! The level of a quantity over blocks: its median, with the exact interval of the sign test.
//!
//! A figure of a single contender, such as a percentile of its latencies, has no partner to be divided by, and blocks scatter
//! to one side. The interval between two order statistics asks for no shape at all, and always holds the median that is
//! shown. David and Nagaraja, "Order Statistics", section 7.1.

use serde::{Deserialize, Serialize};

use super::estimate::{CONFIDENCE, median_of_sorted};

/// A median over blocks with its 95 % interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// The median.
    pub value: f64,
    /// Where its interval begins; absent where there are too few blocks for one.
    pub low: Option<f64>,
    /// Where that ends.
    pub high: Option<f64>,
    /// Blocks it rests on.
    pub blocks: usize,
}

impl Level {
    /// The level of a value for each block. Nothing for no blocks, or where a value is not finite.
    pub fn of(values: &[f64]) -> Option<Self> {
        let sorted = sorted(values)?;
        let value = median_of_sorted(&sorted)?;
        let interval = order_statistics(&sorted, CONFIDENCE);
        let (low, high) = (interval.map(|(low, _)| low), interval.map(|(_, high)| high));
        Some(Self { value, low, high, blocks: values.len() })
    }

    /// The interval, where there is one.
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.low.zip(self.high)
    }
}

/// The interval between two order statistics that covers the median with at least `confidence`, whatever the distribution.
/// Nothing where the values are too few for that confidence (below six at 95 %), where one is not finite, or where the
/// confidence does not lie between 0 and 1.
pub fn median_interval(values: &[f64], confidence: f64) -> Option<(f64, f64)> {
    order_statistics(&sorted(values)?, confidence)
}

fn sorted(values: &[f64]) -> Option<Vec<f64>> {
    if !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(sorted)
}

fn order_statistics(sorted: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let possible = confidence > 0.0 && confidence < 1.0;
    if !possible || sorted.is_empty() {
        return None;
    }
    let count = sorted.len();
    let tail = (1.0 - confidence) / 2.0;
    // Probabilities of the binomial distribution by their logarithms, since the first is too small for a number from a thousand
    // values on.
    let mut log_probability = -(count as f64) * std::f64::consts::LN_2;
    let mut cumulative = 0.0;
    let mut below = 0;
    while below < count / 2 {
        cumulative += log_probability.exp();
        if cumulative > tail {
            break;
        }
        log_probability += ((count - below) as f64 / (below + 1) as f64).ln();
        below += 1;
    }
    below.checked_sub(1).map(|index| (sorted[index], sorted[count - 1 - index]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(count: u32) -> Vec<f64> {
        (1..=count).map(f64::from).collect()
    }

    #[test]
    fn ranks_are_those_of_the_binomial_distribution() {
        // Of twenty tosses of a coin, at most five are heads in 2.07 % of all cases; at most six in 5.77 %.
        for (count, ranks) in
            [(5, None), (6, Some((1.0, 6.0))), (8, Some((1.0, 8.0))), (9, Some((2.0, 8.0))), (20, Some((6.0, 15.0)))]
        {
            assert_eq!(median_interval(&first(count), 0.95), ranks, "{count}");
        }
        let (low, high) = median_interval(&first(10_000), 0.95).unwrap();
        // Half of 1.96 × √10,000 to either side of the middle.
        assert!((low - 4902.0).abs() <= 2.0 && (high - 5099.0).abs() <= 2.0, "{low} {high}");
    }

    #[test]
    fn a_level_lies_within_its_interval_whatever_the_order() {
        let level = Level::of(&[9.0, 1.0, 1000.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!((level.value, level.interval(), level.blocks), (3.5, Some((1.0, 1000.0)), 6));
        assert_eq!(Level::of(&[7.0]).unwrap().interval(), None);
    }

    #[test]
    fn every_input_has_a_defined_answer() {
        for wrong in [&[][..], &[f64::NAN], &[1.0, f64::INFINITY]] {
            assert_eq!(Level::of(wrong), None, "{wrong:?}");
        }
        for confidence in [0.0, 1.0, f64::NAN, -1.0] {
            assert_eq!(median_interval(&first(9), confidence), None);
        }
    }
}

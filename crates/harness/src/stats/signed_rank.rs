//! The Hodges–Lehmann estimate, and its exact interval and test from the signed-rank distribution.
//!
//! Hodges and Lehmann, "Estimates of location based on rank tests", Annals of Mathematical Statistics 34 (1963); the
//! interval as in Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods", section 3.3.

/// All means of two values, a value with itself included, in ascending order.
fn walsh_averages(values: &[f64]) -> Vec<f64> {
    let mut averages = Vec::with_capacity(values.len() * (values.len() + 1) / 2);
    for (index, a) in values.iter().enumerate() {
        averages.extend(values[index..].iter().map(|b| a / 2.0 + b / 2.0));
    }
    averages.sort_by(f64::total_cmp);
    averages
}

/// The Hodges–Lehmann estimate of the centre: the median of the means of all pairs. Nothing for no values, or where one
/// is not finite.
pub fn walsh_median(values: &[f64]) -> Option<f64> {
    if !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    super::estimate::median_of_sorted(&walsh_averages(values))
}

/// The interval around the Hodges–Lehmann estimate that covers the centre with at least `confidence`, whatever the
/// shape of a symmetric distribution. Nothing where the values are too few for that confidence (below six at 95 %),
/// where one is not finite, or where the confidence does not lie between 0 and 1.
pub fn signed_rank_interval(values: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let possible = confidence > 0.0 && confidence < 1.0;
    if !possible || values.is_empty() || !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let averages = walsh_averages(values);
    let tail = (1.0 - confidence) / 2.0;
    // The greatest k with P(W < k) within the tail; the interval then runs from the k-th to the k-th last average.
    let mut cumulative = 0.0;
    let mut k = 0;
    for probability in null_distribution(values.len()) {
        if cumulative + probability > tail {
            break;
        }
        cumulative += probability;
        k += 1;
    }
    if k == 0 { None } else { Some((averages[k - 1], averages[averages.len() - k])) }
}

/// The p-value, two-sided and exact, of the centre being zero. It is at most 5 % just where the interval of 95 %
/// excludes zero. Nothing for no values, or where one is not finite.
///
/// Means of two that are zero, which come from ties, count for both sides: no p-value is too small on their account.
pub fn signed_rank_test(values: &[f64]) -> Option<f64> {
    signed_rank_test_beyond(values, 0.0)
}

/// The p-value of the hypothesis that the centre of log-ratios lies within the margin (0.01 for 1 %): small where it
/// lies beyond, on either side. It is at most 5 % just where the interval of 95 % lies wholly beyond the margin, which
/// is where [`judge`](super::judge) calls a difference. Nothing for no values, where one is not finite, or where the
/// margin is negative or not finite.
pub fn signed_rank_test_beyond(log_ratios: &[f64], margin: f64) -> Option<f64> {
    let sound = margin >= 0.0 && margin.is_finite();
    if !sound || log_ratios.is_empty() || !log_ratios.iter().all(|value| value.is_finite()) {
        return None;
    }
    let bound = margin.ln_1p();
    let averages = walsh_averages(log_ratios);
    let not_above = averages.iter().filter(|average| **average <= bound).count();
    let not_below = averages.iter().filter(|average| **average >= -bound).count();
    let tail: f64 = null_distribution(log_ratios.len())[..=not_above.min(not_below)].iter().sum();
    Some((2.0 * tail).min(1.0))
}

/// The least p-value that the two-sided test can have with so many values: that of all means of two on one side.
pub fn signed_rank_least(values: usize) -> f64 {
    0.5_f64.powf(values as f64 - 1.0).min(1.0)
}

/// Probabilities of the signed-rank sum 0, 1, 2, … for `n` values without ties, by the usual recursion: each rank is in
/// the sum or not.
///
/// In floating point, since the number of sign patterns outgrows every integer; all terms are positive, so nothing
/// cancels.
fn null_distribution(n: usize) -> Vec<f64> {
    let mut probabilities = vec![0.0; n * (n + 1) / 2 + 1];
    probabilities[0] = 1.0;
    for rank in 1..=n {
        let reach = rank * (rank + 1) / 2;
        for sum in (0..=reach).rev() {
            let with = if sum >= rank { probabilities[sum - rank] } else { 0.0 };
            probabilities[sum] = f64::midpoint(probabilities[sum], with);
        }
    }
    probabilities
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_null_distribution_is_the_published_one() {
        // P(W <= w) for n = 5 and n = 8, from counting the subsets of ranks with a sum of at most w.
        let upto = |n: usize, w: usize| null_distribution(n)[..=w].iter().sum::<f64>();
        assert!((upto(5, 0) - 1.0 / 32.0).abs() < 1e-15);
        assert!((upto(5, 2) - 3.0 / 32.0).abs() < 1e-15);
        assert!((upto(8, 3) - 5.0 / 256.0).abs() < 1e-15);
        assert!((upto(8, 36) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn published_example() {
        // Depression scores before and after, Hollander and Wolfe, example 3.1: the estimate is -0.46, and the interval
        // of 96.1 % runs from -0.786 to -0.010.
        #[expect(clippy::approx_constant, reason = "3.14 is a score of the example")]
        let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let differences: Vec<f64> = after.iter().zip(before).map(|(a, b)| a - b).collect();
        assert!((walsh_median(&differences).unwrap() + 0.46).abs() < 1e-9);
        let (low, high) = signed_rank_interval(&differences, 0.95).unwrap();
        assert!((low + 0.786).abs() < 1e-9 && (high + 0.010).abs() < 1e-9, "{low} {high}");
    }

    #[test]
    fn published_p_values() {
        // The same scores: the rank sums are 40 and 5, and the one-sided p-value is 0.0195.
        let differences = [-0.952, 0.147, -1.022, -0.43, -0.62, -0.59, -0.49, 0.08, -0.01];
        assert_eq!(signed_rank_test(&differences), Some(2.0 * 10.0 / 512.0));
        // Darwin's maize, in eighths of an inch: the rank sums are 96 and 24, and p is 0.0413.
        let maize = [49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0, -48.0];
        assert!((signed_rank_test(&maize).unwrap() - 0.041_26).abs() < 5e-6, "{:?}", signed_rank_test(&maize));
    }

    #[test]
    fn the_test_against_a_margin_looks_beyond_it_on_both_sides() {
        let above = [0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.11, 0.12];
        let below = above.map(|value: f64| -value);
        for values in [above, below] {
            assert_eq!(signed_rank_test_beyond(&values, 0.0), Some(signed_rank_least(8)));
            assert_eq!(signed_rank_test_beyond(&values, 0.01), Some(signed_rank_least(8)));
            assert_eq!(signed_rank_test_beyond(&values, 0.5), Some(1.0));
            let p = signed_rank_test_beyond(&values, 0.065).unwrap();
            assert!(p > signed_rank_least(8) && p < 1.0, "{p}");
        }
    }

    #[test]
    fn the_least_p_value_is_reached() {
        assert!((signed_rank_least(0) - 1.0).abs() < 1e-15);
        for n in 1..20 {
            assert_eq!(signed_rank_test(&vec![1.0; n]), Some(signed_rank_least(n)));
        }
    }

    #[test]
    fn six_values_are_the_least_for_95_percent() {
        assert_eq!(signed_rank_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95), None);
        assert_eq!(signed_rank_interval(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.95), Some((1.0, 6.0)));
    }

    #[test]
    fn every_input_has_a_defined_answer() {
        for values in [&[][..], &[f64::NAN; 8], &[f64::INFINITY; 8], &[0.0, f64::NEG_INFINITY, 1.0, 1.0, 1.0, 1.0]] {
            assert_eq!(walsh_median(values), None);
            assert_eq!(signed_rank_interval(values, 0.95), None);
            assert_eq!(signed_rank_test(values), None);
        }
        for confidence in [0.0, 1.0, -3.0, 2.0, f64::NAN] {
            assert_eq!(signed_rank_interval(&[2.5; 9], confidence), None);
        }
        for margin in [-0.1, f64::NAN, f64::INFINITY] {
            assert_eq!(signed_rank_test_beyond(&[2.5; 9], margin), None);
        }
        assert_eq!(signed_rank_test(&[0.0; 9]), Some(1.0));
        assert_eq!(walsh_median(&[3.0]), Some(3.0));
        assert_eq!(walsh_median(&[2.5; 9]), Some(2.5));
        assert_eq!(signed_rank_interval(&[2.5; 9], 0.95), Some((2.5, 2.5)));
    }
}

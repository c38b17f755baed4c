//! The Hodges–Lehmann estimate and its exact interval from the signed-rank distribution.
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

/// The interval around the Hodges–Lehmann estimate that covers the centre with at least `confidence`, whatever the shape
/// of a symmetric distribution. Nothing where the values are too few for that confidence (below six at 95 %), or where
/// one is not finite.
pub fn signed_rank_interval(values: &[f64], confidence: f64) -> Option<(f64, f64)> {
    if values.is_empty() || !values.iter().all(|value| value.is_finite()) {
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

/// Probabilities of the signed-rank sum 0, 1, 2, … for `n` values without ties, by the usual recursion: each rank is in the
/// sum or not.
///
/// In floating point, since the number of sign patterns outgrows every integer; all terms are positive, so nothing cancels.
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
        // Depression scores before and after, Hollander and Wolfe, example 3.1: the estimate is -0.46, and the interval of
        // 96.1 % runs from -0.786 to -0.010.
        #[expect(clippy::approx_constant, reason = "3.14 is a score of the example")]
        let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let differences: Vec<f64> = after.iter().zip(before).map(|(a, b)| a - b).collect();
        assert!((walsh_median(&differences).unwrap() + 0.46).abs() < 1e-9);
        let (low, high) = signed_rank_interval(&differences, 0.95).unwrap();
        assert!((low + 0.786).abs() < 1e-9 && (high + 0.010).abs() < 1e-9, "{low} {high}");
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
        }
        assert_eq!(walsh_median(&[3.0]), Some(3.0));
        assert_eq!(walsh_median(&[2.5; 9]), Some(2.5));
        assert_eq!(signed_rank_interval(&[2.5; 9], 0.95), Some((2.5, 2.5)));
    }
}

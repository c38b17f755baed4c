//! The sign-flip test: were it all noise, each block could as well have come out with the opposite sign.
//!
//! Fisher, "The Design of Experiments" (1935), section 21. Exact whatever the shape of a symmetric distribution, ties
//! and zeros included, and it looks at the mean: a cross-check of the signed-rank results, which look at ranks.

use fastrand::Rng;

/// The most values for which every pattern of signs is tried.
const EXHAUSTIVE: usize = 16;

/// Patterns tried where there are too many to try all.
const SAMPLED: u32 = 20_000;

/// The sample of patterns is always the same one, so that the same record has the same p-value.
const SEED: u64 = 0x5167_4e46_1170_0001;

/// The p-value, two-sided, of the mean of the values being zero: the share of sign patterns that put the sum as far
/// from zero as it is. All patterns up to 16 values, else 20,000 random ones and the observed. Nothing for no values,
/// or where one is not finite.
pub fn sign_flip_test(values: &[f64]) -> Option<f64> {
    if values.is_empty() || !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let scale = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    if scale == 0.0 {
        return Some(1.0);
    }
    let values: Vec<f64> = values.iter().map(|value| value / scale).collect();
    let observed = values.iter().sum::<f64>().abs();
    // Patterns with the same sum on paper differ in the last digits: no more than this can be lost in adding up.
    let rounding = f64::EPSILON * values.len() as f64 * values.iter().map(|value| value.abs()).sum::<f64>();
    let as_far = |sum: f64| sum.abs() >= observed - rounding;
    Some(if values.len() <= EXHAUSTIVE {
        // A pattern and its opposite are equally far, so the first sign may stay.
        let patterns = 1_u32 << (values.len() - 1);
        let hits = (0..patterns).filter(|pattern| as_far(flipped_sum(&values, u64::from(*pattern) << 1))).count();
        hits as f64 / f64::from(patterns)
    } else {
        let mut rng = Rng::with_seed(SEED);
        let mut random_sum = || values.chunks(64).map(|chunk| flipped_sum(chunk, rng.u64(..))).sum::<f64>();
        let hits = (0..SAMPLED).filter(|_| as_far(random_sum())).count();
        // The observed pattern counts as one of them: without it the p-value could be zero, and the test would reject
        // too often.
        (hits + 1) as f64 / f64::from(SAMPLED + 1)
    })
}

/// The sum with the sign of each value flipped whose bit is set.
fn flipped_sum(values: &[f64], pattern: u64) -> f64 {
    values.iter().enumerate().map(|(bit, value)| if pattern >> bit & 1 == 1 { -value } else { *value }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences in height between crossed and self-fertilised maize, in eighths of an inch: Darwin's data, as Fisher
    /// uses them.
    const MAIZE: [f64; 15] = [49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0, -48.0];

    #[test]
    fn published_example() {
        // Fisher counts 863 of the 32,768 patterns at or beyond the observed sum on one side.
        let p = sign_flip_test(&MAIZE).unwrap();
        assert!((p - 2.0 * 863.0 / 32_768.0).abs() < 1e-15, "{p}");
    }

    #[test]
    fn a_sample_of_patterns_is_close_to_all_of_them() {
        // Two zeros flip to themselves, so the exact answer is the one without them, but there are 17 values.
        let mut longer = MAIZE.to_vec();
        longer.extend([0.0, 0.0]);
        let (exact, sampled) = (sign_flip_test(&MAIZE).unwrap(), sign_flip_test(&longer).unwrap());
        assert!(exact.total_cmp(&sampled).is_ne() && (exact - sampled).abs() < 0.005, "{exact} {sampled}");
        assert_eq!(sign_flip_test(&longer), Some(sampled));
    }

    #[test]
    fn the_least_p_value_is_that_of_one_pattern_and_its_opposite() {
        assert_eq!(sign_flip_test(&[1.0]), Some(1.0));
        assert_eq!(sign_flip_test(&[0.1, 0.2, 0.3, 0.1]), Some(2.0 / 16.0));
        assert_eq!(sign_flip_test(&[0.1; 16]), Some(2.0 / 65_536.0));
        assert_eq!(sign_flip_test(&[0.1; 100]), Some(1.0 / 20_001.0));
    }

    #[test]
    fn every_input_has_a_defined_answer() {
        for values in [&[][..], &[f64::NAN], &[f64::INFINITY, 1.0]] {
            assert_eq!(sign_flip_test(values), None);
        }
        assert_eq!(sign_flip_test(&[0.0; 9]), Some(1.0));
        assert_eq!(sign_flip_test(&[f64::MAX, f64::MAX]), Some(0.5));
        assert_eq!(sign_flip_test(&[5e-324, 5e-324]), Some(0.5));
    }
}

//! Student's t: the distribution, and the interval and test of a mean that rest on it. A cross-check of the signed-rank
//! results: it trusts the mean, so heavy tails make it wide.

/// From so many degrees of freedom on the distribution no longer changes in the first six digits.
const MOST_DEGREES: f64 = 1e6;

/// The chance that Student's t with this many degrees of freedom lies as far from zero as `t`, on either side.
///
/// Not a number where `t` is not one or the degrees of freedom are not positive.
pub fn student_two_sided(t: f64, degrees: f64) -> f64 {
    if t.is_nan() || degrees.is_nan() || degrees <= 0.0 {
        return f64::NAN;
    }
    let degrees = degrees.min(MOST_DEGREES);
    let square = t * t / degrees;
    if square.is_infinite() {
        return 0.0;
    }
    incomplete_beta(degrees / 2.0, 0.5, 1.0 / (1.0 + square), square / (1.0 + square))
}

/// The value that Student's t exceeds, on either side together, with a chance of 1 − `confidence`. Nothing where the
/// confidence does not lie between 0 and 1, or the degrees of freedom are not positive.
pub fn student_quantile(confidence: f64, degrees: f64) -> Option<f64> {
    if !(confidence > 0.0 && confidence < 1.0 && degrees > 0.0) {
        return None;
    }
    let tail = 1.0 - confidence;
    let mut high = 1.0;
    while student_two_sided(high, degrees) > tail {
        high *= 2.0;
        if !f64::is_finite(high) {
            return None;
        }
    }
    // Bisection down to neighbouring numbers: the tail falls steadily, so it cannot go astray.
    let mut low = 0.0;
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return Some(high);
        }
        if student_two_sided(middle, degrees) > tail { low = middle } else { high = middle }
    }
}

/// The t-interval of the mean. Nothing for fewer than two values, where one is not finite, where the confidence does
/// not lie between 0 and 1, or where an end would be too large for a number.
pub fn t_interval(values: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let Moments { scale, mean, standard_error } = Moments::of(values)?;
    let reach = student_quantile(confidence, values.len() as f64 - 1.0)? * standard_error;
    let (low, high) = ((mean - reach) * scale, (mean + reach) * scale);
    (low.is_finite() && high.is_finite()).then_some((low, high))
}

/// The p-value, two-sided, of the t-test that the mean is zero. Values that are all the same say it with certainty: 1
/// where they are zero, else 0. Nothing for fewer than two values, or where one is not finite.
pub fn t_test(values: &[f64]) -> Option<f64> {
    let Moments { mean, standard_error, .. } = Moments::of(values)?;
    if mean == 0.0 {
        return Some(1.0);
    }
    Some(student_two_sided(mean / standard_error, values.len() as f64 - 1.0))
}

/// Mean and standard error in units of the largest value, so that no square overflows or vanishes.
struct Moments {
    scale: f64,
    mean: f64,
    standard_error: f64,
}

impl Moments {
    fn of(values: &[f64]) -> Option<Self> {
        if values.len() < 2 || !values.iter().all(|value| value.is_finite()) {
            return None;
        }
        let scale = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        if scale == 0.0 {
            return Some(Self { scale, mean: 0.0, standard_error: 0.0 });
        }
        let n = values.len() as f64;
        // Deviations from the first value, not from zero: values that are all the same then have exactly no spread.
        let origin = values[0] / scale;
        let deviations = || values.iter().map(|value| value / scale - origin);
        let shift = deviations().sum::<f64>() / n;
        let squares: f64 = deviations().map(|deviation| (deviation - shift).powi(2)).sum();
        Some(Self { scale, mean: origin + shift, standard_error: (squares / (n - 1.0) / n).sqrt() })
    }
}

/// The regularised incomplete beta function at `x`, with `y` = 1 − `x` given too, since it may be known better than the
/// difference.
///
/// The continued fraction of the NIST Digital Library of Mathematical Functions, 8.17.22, which converges fast below
/// the mean of the beta distribution; above it, the symmetry 8.17.4.
fn incomplete_beta(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - lower_incomplete_beta(b, a, y, x);
    }
    lower_incomplete_beta(a, b, x, y)
}

fn lower_incomplete_beta(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let log_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    let front = (a * x.ln() + b * y.ln() - log_beta).exp() / a;
    (front / continued_fraction(a, b, x)).clamp(0.0, 1.0)
}

/// One plus the partial fractions of 8.17.22.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    // The convergents A/B by their three-term recurrence, rescaled so that B stays 1.
    let (mut previous, mut current) = ((1.0, 0.0), (1.0, 1.0));
    for step in 1..100_000_u32 {
        let m = f64::from(step / 2);
        let coefficient = if step % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        let next: (f64, f64) = (current.0 + coefficient * previous.0, current.1 + coefficient * previous.1);
        let value = next.0 / next.1;
        let settled = (value - current.0).abs() <= f64::EPSILON * value.abs();
        previous = (current.0 / next.1, current.1 / next.1);
        current = (value, 1.0);
        if settled {
            break;
        }
    }
    current.0
}

/// The logarithm of the gamma function of a positive number: Stirling's series (NIST Digital Library of Mathematical
/// Functions, 5.11.1) from 10 on, where eight terms are exact to the last digit; below, moved up by Γ(x + 1) = x Γ(x).
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0);
    while x < 10.0 {
        product *= x;
        x += 1.0;
    }
    let inverse_square = 1.0 / (x * x);
    let terms = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
        -3617.0 / 122_400.0,
    ];
    let series = terms.iter().rev().fold(0.0, |sum, term| sum * inverse_square + term) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - f64::ln(product)
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{ContinuousCDF, StudentsT};
    use statrs::function::{beta::beta_reg, gamma::ln_gamma as oracle_ln_gamma};

    use super::*;

    fn close(ours: f64, theirs: f64, relative: f64) -> bool {
        (ours - theirs).abs() <= relative * theirs.abs().max(1e-300)
    }

    #[test]
    fn agrees_with_statrs() {
        for x in [0.5, 1.0, 1.5, 2.5, 7.0, 10.0, 33.5, 1e3, 1e5] {
            assert!((ln_gamma(x) - oracle_ln_gamma(x)).abs() <= 1e-12 * oracle_ln_gamma(x).abs().max(1.0), "{x}");
        }
        for (a, b) in [(0.5, 0.5), (4.5, 0.5), (2.0, 3.0), (100.0, 0.5), (0.5, 400.0), (30.0, 40.0)] {
            for x in [1e-6, 0.01, 0.3, 0.5, 0.9, 0.999] {
                let (ours, theirs) = (incomplete_beta(a, b, x, 1.0 - x), beta_reg(a, b, x));
                assert!(close(ours, theirs, 1e-9), "I_{x}({a}, {b}): {ours} {theirs}");
            }
        }
        for degrees in [1.0, 2.0, 5.0, 9.0, 39.0, 798.0, 10_000.0] {
            let oracle = StudentsT::new(0.0, 1.0, degrees).unwrap();
            for t in [0.0, 1e-9, 0.1, 0.7, 1.0, 2.2, 5.0, 30.0] {
                let (ours, theirs) = (student_two_sided(t, degrees), 2.0 * oracle.cdf(-t));
                assert!(close(ours, theirs, 1e-8), "t = {t}, {degrees} degrees: {ours} {theirs}");
            }
            for confidence in [0.5, 0.9, 0.95, 0.999] {
                let ours = student_quantile(confidence, degrees).unwrap();
                let theirs = oracle.inverse_cdf(0.5 + confidence / 2.0);
                assert!(close(ours, theirs, 1e-6), "{confidence}, {degrees} degrees: {ours} {theirs}");
            }
        }
    }

    #[test]
    fn closed_forms() {
        // One degree of freedom is the Cauchy distribution, two have tails of 1 - t / sqrt(2 + t²).
        for t in [0.01_f64, 0.5, 1.0, 3.0, 1e3] {
            assert!(close(student_two_sided(t, 1.0), 2.0 / std::f64::consts::PI * (1.0 / t).atan(), 1e-12), "{t}");
            let root = (2.0 + t * t).sqrt();
            assert!(close(student_two_sided(t, 2.0), 2.0 / (root * (root + t)), 1e-12), "{t}");
        }
    }

    #[test]
    fn the_printed_table() {
        for (degrees, expected) in [(1.0, 12.706), (4.0, 2.776), (9.0, 2.262), (14.0, 2.145), (30.0, 2.042)] {
            let ours = student_quantile(0.95, degrees).unwrap();
            assert!((ours - expected).abs() < 5e-4, "{degrees}: {ours}");
        }
    }

    #[test]
    fn published_example() {
        // Hours of sleep gained by two drugs, Student, "The probable error of a mean" (1908): the mean of the
        // differences is 1.58, t is 4.06 with 9 degrees of freedom, p is 0.0028, and the interval runs from 0.70 to
        // 2.46.
        let differences = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        assert!((t_test(&differences).unwrap() - 0.002_833).abs() < 5e-7);
        let (low, high) = t_interval(&differences, 0.95).unwrap();
        assert!((low - 0.700_114_2).abs() < 1e-6 && (high - 2.459_885_8).abs() < 1e-6, "{low} {high}");
    }

    #[test]
    fn every_input_has_a_defined_answer() {
        for values in [&[][..], &[1.0], &[f64::NAN, 1.0], &[f64::INFINITY; 3]] {
            assert_eq!(t_test(values), None);
            assert_eq!(t_interval(values, 0.95), None);
        }
        assert_eq!(t_test(&[0.0; 4]), Some(1.0));
        assert_eq!(t_test(&[0.1; 4]), Some(0.0));
        assert_eq!(t_interval(&[0.1; 4], 0.95), Some((0.1, 0.1)));
        assert_eq!(t_interval(&[f64::MAX, -f64::MAX], 0.95), None);
        assert!(t_test(&[f64::MAX, f64::MAX / 2.0, f64::MIN_POSITIVE]).is_some_and(|p| p > 0.0 && p < 1.0));
        for confidence in [0.0, 1.0, -1.0, f64::NAN] {
            assert_eq!(student_quantile(confidence, 5.0), None);
        }
        assert!(student_two_sided(1.0, 0.0).is_nan() && student_two_sided(f64::NAN, 1.0).is_nan());
        assert!(student_two_sided(f64::INFINITY, 3.0) <= 0.0);
        // The normal distribution.
        assert!((student_two_sided(1.959_964, f64::INFINITY) - 0.05).abs() < 1e-6);
        assert!((student_quantile(0.95, f64::MAX).unwrap() - 1.959_964).abs() < 1e-5);
    }
}

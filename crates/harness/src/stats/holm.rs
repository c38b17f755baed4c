//! Holm's correction: how sure a finding is when it was one of many looked for.
//!
//! Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979).

/// P-values corrected for the size of their family, in the same order: rejecting those at or below 5 % rejects any true
/// hypothesis at all with a chance of at most 5 %, however the tests depend on each other. What is not a number counts
/// as 1.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let usable = |p: f64| if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) };
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| usable(p_values[a]).total_cmp(&usable(p_values[b])));
    let mut corrected = vec![1.0; p_values.len()];
    let mut largest = 0.0_f64;
    for (rejected, &index) in order.iter().enumerate() {
        let left = (p_values.len() - rejected) as f64;
        largest = largest.max((usable(p_values[index]) * left).min(1.0));
        corrected[index] = largest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(ours: &[f64], expected: &[f64]) {
        assert_eq!(ours.len(), expected.len());
        assert!(ours.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{ours:?} {expected:?}");
    }

    #[test]
    fn worked_example() {
        // Of 0.01, 0.04, 0.03, 0.005 the least is below 0.05/4, the next below 0.05/3, the third not below 0.05/2: two
        // are rejected at 5 %.
        assert_close(&holm(&[0.01, 0.04, 0.03, 0.005]), &[0.03, 0.06, 0.06, 0.02]);
    }

    #[test]
    fn every_input_has_a_defined_answer() {
        assert_close(&holm(&[]), &[]);
        assert_close(&holm(&[0.04]), &[0.04]);
        assert_close(&holm(&[0.0, 0.0]), &[0.0, 0.0]);
        assert_close(&holm(&[0.02, 0.02, 0.02]), &[0.06, 0.06, 0.06]);
        assert_close(&holm(&[f64::NAN, 0.01]), &[1.0, 0.02]);
        assert_close(&holm(&[-1.0, 2.0, f64::INFINITY]), &[0.0, 1.0, 1.0]);
    }
}

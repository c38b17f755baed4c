//! Keeps criterion from dividing by a variance of zero.

/// Spreads samples that are all equal by a grain each, evenly around their common value; leaves any others as they are.
///
/// Peak memory is often the same to the page in every sample. In the second run of such a benchmark, criterion 0.8.2
/// computes a t statistic of 0 ÷ 0 for each resample, drops them all as not finite, and then panics when it plots what is
/// left (`plot/plotters_backend/t_test.rs`). One sample that differs is enough for it to work. The spread is the same in
/// every run, so two runs of equal samples still compare as equal, and mean and median stay what they were.
pub(crate) fn dither(values: &mut [f64], grain: impl Fn(f64) -> f64) {
    let Some((&first, others)) = values.split_first() else { return };
    #[expect(clippy::float_cmp, reason = "criterion's variance is zero only if they are equal to the bit")]
    if others.is_empty() || others.iter().any(|value| *value != first) {
        return;
    }
    let middle = others.len() as f64 / 2.0;
    for (index, value) in values.iter_mut().enumerate() {
        *value = first + (index as f64 - middle) * grain(first);
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the values are exact: halves of whole numbers")]
mod tests {
    use super::*;

    #[test]
    fn equal_samples_are_spread_around_their_value() {
        let mut values = [5_378_048.0; 10];
        dither(&mut values, |_| 1.0);
        assert_eq!(values.iter().sum::<f64>(), 53_780_480.0, "the mean stays");
        assert_eq!((values[0], values[9]), (5_378_043.5, 5_378_052.5), "far below a page");
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
        let mut again = [5_378_048.0; 10];
        dither(&mut again, |_| 1.0);
        assert_eq!(values, again);
    }

    #[test]
    fn other_samples_are_left_alone() {
        for mut values in [vec![], vec![7.0], vec![7.0, 7.0, 7.5], vec![1.0, 2.0]] {
            let before = values.clone();
            dither(&mut values, |_| 1.0);
            assert_eq!(values, before);
        }
    }
}

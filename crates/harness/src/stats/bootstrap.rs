//! Intervals of what has no formula for one, by drawing blocks anew: Efron, "Bootstrap methods: another look at the
//! jackknife", Annals of Statistics 7 (1979).

use fastrand::Rng;

use super::MINIMUM_BLOCKS;
use super::estimate::CONFIDENCE;

/// Draws, so that the 95 % interval runs between the 25th and the 975th.
const DRAWS: usize = 999;

/// Draws of so many blocks with replacement, as indices: the same in every run. None below the blocks that any interval
/// needs.
pub fn draws(blocks: usize) -> impl Iterator<Item = Vec<usize>> {
    let mut rng = Rng::with_seed(blocks as u64);
    let count = if blocks < MINIMUM_BLOCKS { 0 } else { DRAWS };
    (0..count).map(move |_| (0..blocks).map(|_| rng.usize(..blocks)).collect())
}

/// The 95 % percentile interval of what was computed from each of the [`draws`]. It may end in infinities. Nothing where more
/// than one in twenty of the draws gave nothing, or gave what is not a number: of what is left, too little is known.
pub fn percentile_interval(computed: &[Option<f64>]) -> Option<(f64, f64)> {
    let mut values: Vec<f64> = computed.iter().flatten().copied().filter(|value| !value.is_nan()).collect();
    if values.is_empty() || values.len() * 20 < computed.len() * 19 {
        return None;
    }
    values.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small part of a length")]
    let outside = ((values.len() + 1) as f64 * (1.0 - CONFIDENCE) / 2.0).round() as usize;
    let outside = outside.max(1);
    Some((*values.get(outside - 1)?, *values.get(values.len().checked_sub(outside)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_the_same_every_time_and_of_all_blocks() {
        let all: Vec<Vec<usize>> = draws(8).collect();
        assert_eq!(all, draws(8).collect::<Vec<_>>());
        assert_eq!(all.len(), DRAWS);
        assert!(all.iter().all(|draw| draw.len() == 8 && draw.iter().all(|&block| block < 8)));
        assert!((0..8).all(|block| all.iter().flatten().any(|&drawn| drawn == block)));
        assert_eq!(draws(MINIMUM_BLOCKS - 1).count(), 0);
    }

    #[test]
    fn the_interval_leaves_a_fortieth_out_on_either_side() {
        let computed: Vec<Option<f64>> = (1..=999).rev().map(|value| Some(f64::from(value))).collect();
        assert_eq!(percentile_interval(&computed), Some((25.0, 975.0)));
    }

    #[test]
    fn draws_that_give_nothing_are_few_or_there_is_no_interval() {
        let with = |nothing: usize| {
            let computed: Vec<Option<f64>> = (0..100).map(|index| (index >= nothing).then_some(1.0)).collect();
            percentile_interval(&computed)
        };
        assert_eq!((with(5), with(6)), (Some((1.0, 1.0)), None));
        assert_eq!(percentile_interval(&[]), None);
        assert_eq!(percentile_interval(&[Some(f64::NAN)]), None);
        assert_eq!(percentile_interval(&[Some(f64::INFINITY)]), Some((f64::INFINITY, f64::INFINITY)));
    }

    #[test]
    fn the_interval_of_a_mean_is_about_what_its_formula_says() {
        let mut rng = Rng::with_seed(5);
        let values: Vec<f64> = (0..40).map(|_| (0..12).map(|_| rng.f64()).sum::<f64>()).collect();
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / 40.0;
        let computed: Vec<Option<f64>> =
            draws(40).map(|draw| Some(mean(&mut draw.iter().map(|&index| values[index])))).collect();
        let (low, high) = percentile_interval(&computed).unwrap();
        let centre = mean(&mut values.iter().copied());
        let variance = values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / 39.0;
        let half = 1.96 * (variance / 40.0).sqrt();
        assert!(low < centre && centre < high);
        assert!(((high - low) / 2.0 / half - 1.0).abs() < 0.2, "{} and {half}", (high - low) / 2.0);
    }
}

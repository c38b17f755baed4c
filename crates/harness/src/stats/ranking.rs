//! One order out of several metrics, by weights that someone has to state: there are no default ones, since how much
//! memory a second is worth is not ours to say.

use serde::{Deserialize, Serialize};

use super::weighted_geometric_mean;

/// A place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranked {
    /// Which contender, as an index into what was given.
    pub contender: usize,
    /// The weighted geometric mean of its ratios; less is better.
    pub score: f64,
    /// Its place, from 1; equal scores share one.
    pub place: usize,
}

/// Ranks contenders by the weighted geometric mean of their ratios to the reference, where less is better: of times,
/// not of throughputs. A row per contender with a ratio per metric, a weight per metric. A contender without a ratio
/// for a metric that has weight is not ranked.
///
/// Nothing where no weight is positive, where one is negative or not finite, or where a row does not have a ratio for
/// each weight.
pub fn weighted_ranking<R: AsRef<[Option<f64>]>>(contenders: &[R], weights: &[f64]) -> Option<Vec<Ranked>> {
    let usable = weights.iter().all(|weight| *weight >= 0.0 && weight.is_finite()) && weights.iter().any(|w| *w > 0.0);
    if !usable || contenders.iter().any(|row| row.as_ref().len() != weights.len()) {
        return None;
    }
    let score = |row: &R| {
        let ratios = row.as_ref().iter().map(|ratio| ratio.unwrap_or(f64::NAN));
        weighted_geometric_mean(ratios.zip(weights.iter().copied()))
    };
    let scored = contenders.iter().enumerate().filter_map(|(contender, row)| Some((contender, score(row)?)));
    let mut ranked: Vec<Ranked> = scored.map(|(contender, score)| Ranked { contender, score, place: 1 }).collect();
    ranked.sort_by(|a, b| a.score.total_cmp(&b.score));
    for index in 1..ranked.len() {
        let tied = ranked[index].score <= ranked[index - 1].score;
        ranked[index].place = if tied { ranked[index - 1].place } else { index + 1 };
    }
    Some(ranked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(contenders: &[[Option<f64>; 2]], weights: [f64; 2]) -> Option<Vec<(usize, usize)>> {
        let ranked = weighted_ranking(contenders, &weights)?;
        Some(ranked.iter().map(|ranked| (ranked.contender, ranked.place)).collect())
    }

    #[test]
    fn the_weights_decide() {
        // The first is twice as fast with twice the memory, the second the other way round, the third is the reference.
        let contenders = [[Some(0.5), Some(2.0)], [Some(2.0), Some(0.5)], [Some(1.0), Some(1.0)]];
        assert_eq!(order(&contenders, [2.0, 1.0]), Some(vec![(0, 1), (2, 2), (1, 3)]));
        assert_eq!(order(&contenders, [1.0, 2.0]), Some(vec![(1, 1), (2, 2), (0, 3)]));
        assert_eq!(order(&contenders, [1.0, 1.0]), Some(vec![(0, 1), (1, 1), (2, 1)]));
        let scores = weighted_ranking(&contenders, &[2.0, 1.0]).unwrap();
        assert!((scores[0].score - 0.5_f64.cbrt()).abs() < 1e-12);
    }

    #[test]
    fn a_gap_matters_only_where_it_has_weight() {
        let contenders = [[Some(0.5), None], [Some(2.0), Some(0.5)]];
        assert_eq!(order(&contenders, [1.0, 0.0]), Some(vec![(0, 1), (1, 2)]));
        assert_eq!(order(&contenders, [1.0, 1.0]), Some(vec![(1, 1)]));
    }

    #[test]
    fn every_input_has_a_defined_answer() {
        assert_eq!(order(&[], [1.0, 1.0]), Some(vec![]));
        let contenders = [[Some(f64::NAN), Some(1.0)], [Some(0.0), Some(1.0)], [Some(f64::INFINITY), Some(1.0)]];
        assert_eq!(order(&contenders, [1.0, 1.0]), Some(vec![]));
        for weights in [[0.0, 0.0], [1.0, -1.0], [f64::NAN, 1.0], [f64::INFINITY, 1.0]] {
            assert_eq!(order(&[[Some(1.0), Some(1.0)]], weights), None, "{weights:?}");
        }
        assert_eq!(weighted_ranking(&[[Some(1.0)]], &[1.0, 1.0]), None);
        let none: [Vec<Option<f64>>; 0] = [];
        assert_eq!(weighted_ranking(&none, &[]), None);
    }
}

//! Ratios of many cells summed up in one number, with a warning: it hides which cells it comes from.

use serde::{Deserialize, Serialize};

/// The geometric mean. Nothing for no ratios, or where one is not positive and finite.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    weighted_geometric_mean(ratios.iter().map(|&ratio| (ratio, 1.0)))
}

/// The geometric mean of (ratio, weight). A ratio of weight zero has no say, whatever it is. Nothing where no weight is
/// positive, where a weight is negative or not finite, or where a ratio that has a say is not positive and finite.
pub fn weighted_geometric_mean(ratios: impl IntoIterator<Item = (f64, f64)>) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (ratio, weight) in ratios {
        if !(weight >= 0.0 && weight.is_finite()) {
            return None;
        }
        if weight > 0.0 {
            if !is_ratio(ratio) {
                return None;
            }
            sum += weight * ratio.ln();
            weights += weight;
        }
    }
    let mean = (sum / weights).exp();
    (weights > 0.0 && mean.is_finite()).then_some(mean)
}

/// Geometric means that may be compared with each other, because they are over the same cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SharedMeans {
    /// The cells in which every contender has a ratio.
    pub cells: Vec<usize>,
    /// The mean over those, contender by contender; nothing where no cell is shared.
    pub means: Vec<Option<f64>>,
}

/// The geometric mean of each contender over the cells (workloads, say) that all of them have. A contender that failed
/// where others did not would else look better or worse by its absence. What is not positive and finite is no ratio,
/// and a row that ends early lacks the rest.
pub fn shared_geometric_means<R: AsRef<[Option<f64>]>>(contenders: &[R]) -> SharedMeans {
    let ratio = |row: &R, cell: usize| row.as_ref().get(cell).copied().flatten().filter(|&ratio| is_ratio(ratio));
    let most = contenders.iter().map(|row| row.as_ref().len()).max().unwrap_or(0);
    let cells: Vec<usize> = (0..most).filter(|&cell| contenders.iter().all(|row| ratio(row, cell).is_some())).collect();
    let mean = |row: &R| geometric_mean(&cells.iter().filter_map(|&cell| ratio(row, cell)).collect::<Vec<_>>());
    SharedMeans { means: contenders.iter().map(mean).collect(), cells }
}

fn is_ratio(value: f64) -> bool {
    value > 0.0 && value.is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(ours: Option<f64>, expected: f64) -> bool {
        ours.is_some_and(|ours| (ours - expected).abs() < 1e-12)
    }

    #[test]
    fn twice_and_half_cancel() {
        assert!(close(geometric_mean(&[2.0, 0.5]), 1.0));
        assert!(close(geometric_mean(&[1.0, 2.0, 4.0]), 2.0));
    }

    #[test]
    fn weights_are_relative() {
        assert!(close(weighted_geometric_mean([(4.0, 2.0), (1.0, 2.0)]), 2.0));
        assert!(close(weighted_geometric_mean([(8.0, 1.0), (1.0, 2.0)]), 2.0));
        assert!(close(weighted_geometric_mean([(8.0, 1.0), (f64::NAN, 0.0)]), 8.0));
    }

    #[test]
    fn only_shared_cells_count() {
        let rows = [vec![Some(2.0), Some(100.0), Some(0.5)], vec![Some(1.0), None, Some(4.0)]];
        let shared = shared_geometric_means(&rows);
        assert_eq!(shared.cells, [0, 2]);
        assert!(close(shared.means[0], 1.0) && close(shared.means[1], 2.0));
    }

    #[test]
    fn every_input_has_a_defined_answer() {
        for ratios in [&[][..], &[0.0], &[-1.0, 1.0], &[f64::NAN], &[f64::INFINITY]] {
            assert_eq!(geometric_mean(ratios), None, "{ratios:?}");
        }
        assert!(close(geometric_mean(&[7.0]), 7.0));
        assert!(geometric_mean(&[f64::MAX, f64::MAX]).is_none_or(f64::is_finite));
        for weight in [f64::NAN, -1.0, f64::INFINITY, 0.0] {
            assert_eq!(weighted_geometric_mean([(2.0, weight)]), None, "{weight}");
        }
        let none: [Vec<Option<f64>>; 0] = [];
        assert_eq!(shared_geometric_means(&none), SharedMeans { cells: vec![], means: vec![] });
        let disjoint = [vec![Some(1.0)], vec![None, Some(f64::NAN)]];
        assert_eq!(shared_geometric_means(&disjoint), SharedMeans { cells: vec![], means: vec![None, None] });
    }
}

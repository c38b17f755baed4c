//! How throughput scales: the Universal Scalability Law, fitted to a curve.
//!
//! X(N) = λN / (1 + σ(N − 1) + κN(N − 1)): what one does alone (λ), what they wait for each other (contention, σ), and what it
//! costs that everyone has to agree with everyone (coherence, κ). Gunther, "Guerrilla Capacity Planning", chapter 4.
//!
//! Turned over, N/X(N) is a parabola in N with coefficients that are not negative, so each step of the fit is a small linear
//! problem with bounds, which is solved exactly.

use serde::{Deserialize, Serialize};

/// Different values of N below which nothing is fitted: three coefficients go through three points whatever they are.
pub const LEAST_VALUES: usize = 4;

/// Steps after which the fit stands as it is.
const STEPS: usize = 100;

/// The law with its coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Usl {
    /// Throughput of one.
    pub lambda: f64,
    /// Contention: the share of the work that only one can do at a time; at least 0.
    pub sigma: f64,
    /// Coherence: what each further one costs every other; at least 0.
    pub kappa: f64,
    /// How much of the curve's variation the law explains, at most 1; absent where the curve does not vary.
    pub r_squared: Option<f64>,
}

impl Usl {
    /// Fits the law to points (N, X) by least squares of X. Nothing for fewer than [`LEAST_VALUES`] different N, where an N is
    /// below 1, an X below 0 or either not finite, or where all X are zero.
    pub fn fit(points: &[(f64, f64)]) -> Option<Self> {
        let sound = |&(n, x): &(f64, f64)| n >= 1.0 && x >= 0.0 && n.is_finite() && x.is_finite();
        if !points.iter().all(sound) {
            return None;
        }
        let mut values: Vec<f64> = points.iter().map(|(n, _)| *n).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let (most, height) = (*values.last()?, points.iter().map(|(_, x)| *x).fold(0.0, f64::max));
        if values.len() < LEAST_VALUES || height <= 0.0 {
            return None;
        }
        let curve = Curve::new(points, most, height);
        let start = curve.straight()?;
        let [a, b, c] = curve.descend(start);
        // Back from the scaled parabola: N/X = (height of N ÷ height of X) × (a + b u + c v).
        let usl = Self {
            lambda: height / a,
            sigma: b / a / (most - 1.0),
            kappa: c / a / (most * (most - 1.0)),
            r_squared: None,
        };
        let all = [usl.lambda, usl.sigma, usl.kappa];
        all.into_iter().all(f64::is_finite).then(|| Self { r_squared: usl.explained(points), ..usl })
    }

    /// Throughput of so many.
    pub fn at(&self, n: f64) -> f64 {
        self.lambda * n / (1.0 + self.sigma * (n - 1.0) + self.kappa * n * (n - 1.0))
    }

    /// How many have the most throughput; at least 1. Nothing where more are always better.
    pub fn peak(&self) -> Option<f64> {
        let peak = if self.sigma >= 1.0 { 1.0 } else { ((1.0 - self.sigma) / self.kappa).sqrt().max(1.0) };
        peak.is_finite().then_some(peak)
    }

    fn explained(&self, points: &[(f64, f64)]) -> Option<f64> {
        let mean = points.iter().map(|(_, x)| x / points.len() as f64).sum::<f64>();
        let squares = |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|&(n, x)| of(n, x).powi(2)).sum::<f64>();
        let all = squares(&|_, x| (x - mean) / mean);
        let left = squares(&|n, x| (x - self.at(n)) / mean);
        // What rounding alone makes is no variation.
        (all > 1e-20).then(|| 1.0 - left / all).filter(|share| share.is_finite())
    }
}

/// A curve in units of its own: X as a part of the greatest, and the parabola's two terms as parts of theirs.
struct Curve {
    points: Vec<Point>,
}

#[derive(Clone, Copy)]
struct Point {
    n: f64,
    x: f64,
    /// 1, N − 1 and N(N − 1).
    terms: [f64; 3],
}

/// Coefficients of the scaled parabola; the first above zero, the others not below.
type Coefficients = [f64; 3];

/// The least that the first coefficient may be: a law that begins with more than a thousand million times the curve's height
/// says that the curve does not begin where the points do.
const LEAST_FIRST: f64 = 1e-9;

impl Curve {
    fn new(points: &[(f64, f64)], most: f64, height: f64) -> Self {
        let point = |&(n, x): &(f64, f64)| Point {
            n,
            x: x / height,
            terms: [1.0, (n - 1.0) / (most - 1.0), n * (n - 1.0) / (most * (most - 1.0))],
        };
        Self { points: points.iter().map(point).collect() }
    }

    fn parabola(point: &Point, coefficients: &Coefficients) -> f64 {
        point.terms.iter().zip(coefficients).map(|(term, coefficient)| term * coefficient).sum()
    }

    /// The sum of squares of what the law leaves of X.
    fn left(&self, coefficients: &Coefficients) -> f64 {
        let left = |point: &Point| (point.x - point.n / Self::parabola(point, coefficients)).powi(2);
        self.points.iter().map(left).sum()
    }

    /// The parabola through N/X by least squares, each point weighed by how much X moves with it. Exact where the curve is.
    fn straight(&self) -> Option<Coefficients> {
        let rows = self.points.iter().filter(|point| point.x > 0.0).map(|point| {
            let weight = point.x * point.x / point.n;
            (point.terms, point.n / point.x, weight)
        });
        bounded_least_squares(rows)
    }

    /// Gauss–Newton from there on, each step with the bounds and halved until it is one downwards.
    fn descend(&self, start: Coefficients) -> Coefficients {
        let mut now = start;
        let mut left = self.left(&now);
        for _ in 0..STEPS {
            let rows = self.points.iter().map(|point| {
                let parabola = Self::parabola(point, &now);
                let law = point.n / parabola;
                let slope = law / parabola;
                // Where the parabola would have to be for the law to go through the point, as far as its slope tells.
                (point.terms, parabola + (law - point.x) / slope, slope)
            });
            let Some(target) = bounded_least_squares(rows) else { break };
            let step = |part: f64| -> Coefficients {
                std::array::from_fn(|index| now[index] + part * (target[index] - now[index]))
            };
            let parts = std::iter::successors(Some(1.0), |part| Some(part / 2.0)).take(30);
            let better = parts.map(step).find(|next| self.left(next) < left);
            let Some(next) = better else { break };
            let less = self.left(&next);
            let is_done = left - less <= 1e-15 * left;
            (now, left) = (next, less);
            if is_done {
                break;
            }
        }
        now
    }
}

/// Rows of terms, target and weight: the coefficients within their bounds that leave the least of the weighted squares.
///
/// With three of them, every choice of those that stand at their bound is tried; the best that is within all bounds is the
/// answer, since the problem has only one.
fn bounded_least_squares(rows: impl Iterator<Item = ([f64; 3], f64, f64)>) -> Option<Coefficients> {
    const BOUNDS: Coefficients = [LEAST_FIRST, 0.0, 0.0];
    let mut matrix = [[0.0; 3]; 3];
    let mut right = [0.0; 3];
    for (terms, target, weight) in rows {
        let square = weight * weight;
        for row in 0..3 {
            for column in 0..3 {
                matrix[row][column] += square * terms[row] * terms[column];
            }
            right[row] += square * terms[row] * (target - BOUNDS[0]);
        }
    }
    // What is left, but for a part that is the same for all.
    let left = |solution: &[f64; 3]| -> f64 {
        let half: f64 = (0..3)
            .map(|row| solution[row] * (0..3).map(|column| matrix[row][column] * solution[column]).sum::<f64>())
            .sum();
        half - 2.0 * solution.iter().zip(&right).map(|(value, right)| value * right).sum::<f64>()
    };
    let solutions = (0_u8..8).filter_map(|free| {
        let is_free = |index: usize| free >> index & 1 == 1;
        solve(matrix, right, is_free).filter(|solution| solution.iter().all(|value| *value >= 0.0))
    });
    let best = solutions.min_by(|a, b| left(a).total_cmp(&left(b)))?;
    let coefficients: Coefficients = std::array::from_fn(|index| BOUNDS[index] + best[index]);
    coefficients.iter().all(|value| value.is_finite()).then_some(coefficients)
}

/// The solution of a symmetric system in the free unknowns, the others being zero. Nothing where it has none or many.
fn solve(mut matrix: [[f64; 3]; 3], mut right: [f64; 3], is_free: impl Fn(usize) -> bool) -> Option<[f64; 3]> {
    let scale = matrix.iter().flatten().fold(0.0_f64, |most, value| most.max(value.abs()));
    for index in (0..3).filter(|index| !is_free(*index)) {
        matrix[index] = [0.0; 3];
        for row in &mut matrix {
            row[index] = 0.0;
        }
        matrix[index][index] = scale;
        right[index] = 0.0;
    }
    for column in 0..3 {
        let pivot = (column..3).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let lead = matrix[column][column];
        let is_sound = lead.abs() > scale * 1e-15;
        if !is_sound {
            return None;
        }
        for row in column + 1..3 {
            let factor = matrix[row][column] / lead;
            let above = matrix[column];
            for (value, above) in matrix[row].iter_mut().zip(above) {
                *value -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    let mut solution = [0.0; 3];
    for row in (0..3).rev() {
        let known: f64 = (row + 1..3).map(|column| matrix[row][column] * solution[column]).sum();
        solution[row] = (right[row] - known) / matrix[row][row];
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(usl: &Usl, values: &[u32]) -> Vec<(f64, f64)> {
        values.iter().map(|&n| (f64::from(n), usl.at(f64::from(n)))).collect()
    }

    fn law(lambda: f64, sigma: f64, kappa: f64) -> Usl {
        Usl { lambda, sigma, kappa, r_squared: None }
    }

    #[test]
    fn the_law_of_an_exact_curve_is_found() {
        for (law, peak) in [
            (law(1000.0, 0.05, 0.001), Some((0.95_f64 / 0.001).sqrt())),
            (law(0.5, 0.0, 0.0), None),
            (law(3e9, 0.2, 0.0), None),
            (law(7.0, 0.0, 0.25), Some(2.0)),
            (law(7.0, 1.5, 0.1), Some(1.0)),
        ] {
            let fitted = Usl::fit(&curve(&law, &[1, 2, 4, 8, 16, 64])).unwrap();
            assert!((fitted.lambda / law.lambda - 1.0).abs() < 1e-6, "{law:?} {fitted:?}");
            assert!((fitted.sigma - law.sigma).abs() < 1e-6, "{law:?} {fitted:?}");
            assert!((fitted.kappa - law.kappa).abs() < 1e-6, "{law:?} {fitted:?}");
            assert!(fitted.r_squared.unwrap() > 1.0 - 1e-9, "{fitted:?}");
            assert_eq!(law.peak().map(|n| (n * 1e6).round()), peak.map(|n| (n * 1e6).round()));
        }
    }

    #[test]
    fn coefficients_are_not_negative_where_the_curve_is_better_than_linear() {
        let points: Vec<(f64, f64)> = [1.0, 2.0, 4.0, 8.0].map(|n: f64| (n, n.powf(1.5))).into();
        let fitted = Usl::fit(&points).unwrap();
        assert_eq!((fitted.sigma, fitted.kappa, fitted.peak()), (0.0, 0.0, None), "{fitted:?}");
        assert!(fitted.r_squared.unwrap() < 1.0);
        // The best straight line through nothing, by its formula.
        let lambda = points.iter().map(|(n, x)| n * x).sum::<f64>() / points.iter().map(|(n, _)| n * n).sum::<f64>();
        assert!((fitted.lambda / lambda - 1.0).abs() < 1e-6, "{fitted:?} {lambda}");
    }

    #[test]
    fn no_other_law_near_by_leaves_less() {
        let noisy: Vec<(f64, f64)> =
            [(1.0, 95.0), (2.0, 210.0), (4.0, 350.0), (8.0, 610.0), (16.0, 640.0), (32.0, 560.0)].into();
        let left = |usl: &Usl| noisy.iter().map(|&(n, x)| (x - usl.at(n)).powi(2)).sum::<f64>();
        let best = Usl::fit(&noisy).unwrap();
        for change in [0.99, 0.999, 1.001, 1.01] {
            for other in [
                law(best.lambda * change, best.sigma, best.kappa),
                law(best.lambda, best.sigma * change, best.kappa),
                law(best.lambda, best.sigma, best.kappa * change),
            ] {
                assert!(left(&other) >= left(&best), "{other:?} {best:?}");
            }
        }
    }

    #[test]
    fn too_little_or_nonsense_is_no_law() {
        let good = curve(&law(10.0, 0.1, 0.01), &[1, 2, 4]);
        assert_eq!(Usl::fit(&good), None, "three values");
        let twice: Vec<_> = good.iter().chain(&good).copied().collect();
        assert_eq!(Usl::fit(&twice), None, "three different values");
        for odd in [(0.0, 1.0), (8.0, f64::NAN), (f64::INFINITY, 1.0), (8.0, -1.0), (f64::NAN, 1.0)] {
            let points: Vec<_> = good.iter().copied().chain([odd]).collect();
            assert_eq!(Usl::fit(&points), None, "{odd:?}");
        }
        let zeros = [1.0, 2.0, 3.0, 4.0].map(|n| (n, 0.0));
        assert_eq!(Usl::fit(&zeros), None);
        assert_eq!(Usl::fit(&[]), None);
        let level = Usl::fit(&[1.0, 2.0, 3.0, 4.0].map(|n| (n, 5.0))).unwrap();
        assert!((level.sigma - 1.0).abs() < 1e-6 && level.r_squared.is_none(), "{level:?}");
    }
}

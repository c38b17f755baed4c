//! What must hold of levels, draws and the scalability law for any input, the absurd included.

use heapmark::stats::{
    Drift, Growth, LEAST_VALUES, Level, MINIMUM_BLOCKS, Usl, draws, median_interval, percentile_interval,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The same cases in every run.
fn config() -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() }
}

/// Any number there is, the special ones often.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => any::<f64>(),
        4 => 0.0..1e4,
        1 => Just(0.0),
        1 => Just(1.0),
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(f64::NEG_INFINITY),
        1 => Just(f64::MAX),
        1 => Just(f64::MIN_POSITIVE),
    ]
}

/// Different numbers of threads or connections, at least as many as a fit needs.
fn values() -> impl Strategy<Value = Vec<f64>> {
    let value = prop_oneof![1_u32..=64, 1_u32..=4000];
    proptest::collection::btree_set(value, LEAST_VALUES..10)
        .prop_map(|values| values.into_iter().map(f64::from).collect())
}

/// A coefficient that may be zero, as most are somewhere.
fn coefficient(most: f64) -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 4 => 0.0..most]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_law_of_an_exact_curve_is_found(
        values in values(), lambda in 1e-3..1e9_f64, sigma in coefficient(1.0), kappa in coefficient(0.01)
    ) {
        let truth = Usl { lambda, sigma, kappa, r_squared: None };
        let points: Vec<(f64, f64)> = values.iter().map(|&n| (n, truth.at(n))).collect();
        let fitted = Usl::fit(&points).expect("an exact curve has a law");
        // The coefficients may be told apart badly by some values, but the curve is the same.
        for &(n, x) in &points {
            prop_assert!((fitted.at(n) / x - 1.0).abs() < 1e-5, "{truth:?} {fitted:?} at {n}");
        }
        if values[0] < 3.0 && values.last().is_some_and(|last| (8.0..64.0).contains(last)) {
            prop_assert!((fitted.lambda / lambda - 1.0).abs() < 1e-4, "{truth:?} {fitted:?}");
            prop_assert!((fitted.sigma - sigma).abs() < 1e-4 && (fitted.kappa - kappa).abs() < 1e-4, "{truth:?} {fitted:?}");
        }
    }

    #[test]
    fn a_law_of_noise_has_coefficients_within_their_bounds(points in vec((1.0..4000.0_f64, 0.0..1e6_f64), 0..12)) {
        if let Some(law) = Usl::fit(&points) {
            prop_assert!(law.lambda > 0.0 && law.sigma >= 0.0 && law.kappa >= 0.0, "{law:?}");
            prop_assert!([law.lambda, law.sigma, law.kappa].into_iter().all(f64::is_finite), "{law:?}");
            prop_assert!(law.r_squared.is_none_or(|share| share <= 1.0), "{law:?}");
            prop_assert!(law.peak().is_none_or(|peak| peak >= 1.0), "{law:?}");
        }
    }

    #[test]
    fn the_unit_of_throughput_does_not_matter(values in values(), seed in any::<u64>(), unit in 1e-6..1e6_f64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let points: Vec<(f64, f64)> = values.iter().map(|&n| (n, n.sqrt() * (1.0 + 0.2 * rng.f64()))).collect();
        let scaled: Vec<(f64, f64)> = points.iter().map(|&(n, x)| (n, x * unit)).collect();
        let (one, other) = (Usl::fit(&points).expect("a law"), Usl::fit(&scaled).expect("a law"));
        prop_assert!((other.lambda / one.lambda / unit - 1.0).abs() < 1e-6, "{one:?} {other:?}");
        prop_assert!((other.sigma - one.sigma).abs() <= 1e-6 * one.sigma.max(1e-6), "{one:?} {other:?}");
    }

    #[test]
    fn nothing_panics(points in vec((any_number(), any_number()), 0..12), values in vec(any_number(), 0..40)) {
        let law = Usl::fit(&points);
        prop_assert!(law.is_none_or(|law| law.lambda.is_finite() && law.sigma.is_finite() && law.kappa.is_finite()), "{law:?}");
        let level = Level::of(&values);
        prop_assert_eq!(level.is_some(), !values.is_empty() && values.iter().all(|value| value.is_finite()));
        let _ = median_interval(&values, values.first().copied().unwrap_or(0.5));
        let _ = percentile_interval(&values.iter().copied().map(Some).collect::<Vec<_>>());
        let growths: Vec<Growth> = Growth::from_the_start(&values).into_iter().collect();
        let _ = Drift::of(&growths, values.first().copied().unwrap_or(0.1));
    }

    #[test]
    fn a_level_lies_in_its_interval_and_that_within_the_values(values in vec(-1e9..1e9_f64, 1..60)) {
        let level = Level::of(&values).expect("finite values");
        prop_assert_eq!(level.interval().is_some(), values.len() >= MINIMUM_BLOCKS);
        if let Some((low, high)) = level.interval() {
            prop_assert!(low <= level.value && level.value <= high);
            prop_assert!(values.contains(&low) && values.contains(&high));
        }
    }
}

/// The interval of a median covers the truth in at least 95 of 100 experiments, whatever the distribution; here one that is
/// far from symmetric.
#[test]
fn the_interval_of_a_level_covers_the_median() {
    let mut rng = fastrand::Rng::with_seed(11);
    let truth = 2.0_f64.ln();
    let covered = (0..2000).filter(|_| {
        let values: Vec<f64> = (0..10).map(|_| -(1.0 - rng.f64()).ln()).collect();
        let (low, high) = Level::of(&values).and_then(|level| level.interval()).expect("ten values");
        low <= truth && truth <= high
    });
    assert!(covered.count() >= 1900);
}

/// The intervals of the law's coefficients, by drawing blocks anew, cover the truth about as often as they say.
#[test]
fn the_intervals_of_a_law_cover_its_coefficients() {
    let truth = Usl { lambda: 1000.0, sigma: 0.05, kappa: 0.002, r_squared: None };
    let mut rng = fastrand::Rng::with_seed(3);
    let mut covered = 0;
    for _ in 0..100 {
        let blocks: Vec<Vec<f64>> = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
            .iter()
            .map(|&n| {
                // A sum of uniform numbers is as good as normal.
                let noise = |rng: &mut fastrand::Rng| (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0;
                (0..10).map(|_| truth.at(n) * (1.0 + 0.02 * noise(&mut rng))).collect()
            })
            .collect();
        let laws: Vec<Option<Usl>> = draws(10)
            .map(|draw| {
                let mean = |row: &Vec<f64>| draw.iter().map(|&block| row[block]).sum::<f64>() / 10.0;
                let points: Vec<(f64, f64)> =
                    [1.0, 2.0, 4.0, 8.0, 16.0, 32.0].into_iter().zip(blocks.iter().map(mean)).collect();
                Usl::fit(&points)
            })
            .collect();
        let sigmas: Vec<Option<f64>> = laws.iter().map(|law| law.map(|law| law.sigma)).collect();
        let (low, high) = percentile_interval(&sigmas).expect("every draw has a law");
        covered += u32::from(low <= truth.sigma && truth.sigma <= high);
    }
    // Ten blocks are few for drawing anew, whose intervals are then somewhat too narrow.
    assert!(covered >= 82, "{covered} of 100");
}

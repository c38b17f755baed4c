//! How often a decline of throughput is called, and called rightly, on made-up curves. The seeds are fixed, so each rate is the
//! same in every run.

use fastrand::Rng;
use heapmark::stats::{Drift, GROWTH_MARGIN, Growth, Pace};

const EXPERIMENTS: u64 = 200;

/// Turns of a sample, as a workload about memory over time has them.
const TURNS: u32 = 60;

/// Samples of a contender, as a run has blocks by default.
const SAMPLES: usize = 10;

/// What disturbs a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Noise {
    /// Each turn by 5 %.
    Turns,
    /// A turn resembles the one before it: an autoregression of the first order with 0.6, of 5 % in all.
    Autocorrelated,
    /// One turn in ten takes half as long again, as where something else wants the processor.
    Busy,
}

const NOISES: [Noise; 3] = [Noise::Turns, Noise::Autocorrelated, Noise::Busy];

fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos()
}

/// A curve of throughput whose true shape, over the part of the run that is over, is `shape`.
fn curve(shape: fn(f64) -> f64, noise: Noise, rng: &mut Rng) -> Vec<f64> {
    let level = 3000.0 * (1.0 + 0.03 * normal(rng));
    let mut last = normal(rng);
    (0..TURNS)
        .map(|turn| {
            let truth = level * shape(f64::from(turn) / f64::from(TURNS));
            truth
                * match noise {
                    Noise::Turns => 1.0 + 0.05 * normal(rng),
                    Noise::Autocorrelated => {
                        last = 0.6 * last + 0.8 * normal(rng);
                        1.0 + 0.05 * last
                    }
                    Noise::Busy => {
                        if rng.u8(..10) == 0 {
                            1.0 / 1.5
                        } else {
                            1.0 + 0.01 * normal(rng)
                        }
                    }
                }
        })
        .collect()
}

/// How often a shape is called so, of all experiments.
fn rate(shape: fn(f64) -> f64, noise: Noise, pace: Pace) -> f64 {
    let mut rng = Rng::with_seed(7);
    let called = (0..EXPERIMENTS).filter(|_| {
        let growths: Vec<Growth> =
            (0..SAMPLES).filter_map(|_| Growth::from_the_start(&curve(shape, noise, &mut rng))).collect();
        Drift::of(&growths, GROWTH_MARGIN).is_some_and(|drift| drift.pace == pace)
    });
    called.count() as f64 / EXPERIMENTS as f64
}

#[test]
fn what_keeps_up_is_not_called_declining_or_rising() {
    for noise in NOISES {
        for pace in [Pace::Declining, Pace::Rising] {
            let rate = rate(|_| 1.0, noise, pace);
            assert!(rate <= 0.01, "{noise:?}: {pace} in {rate}");
        }
        assert!(rate(|_| 1.0, noise, Pace::Steady) >= 0.8, "{noise:?}");
    }
}

#[test]
fn falls_are_found_wherever_they_happen() {
    let half_early = |part: f64| if part < 0.2 { 1.0 } else { 0.5 };
    let half_late = |part: f64| if part < 0.8 { 1.0 } else { 0.5 };
    let slowly = |part: f64| 1.0 - 0.3 * part;
    for noise in NOISES {
        for (what, shape) in [
            ("early", half_early as fn(f64) -> f64),
            ("late", half_late as fn(f64) -> f64),
            ("slowly", slowly as fn(f64) -> f64),
        ] {
            let rate = rate(shape, noise, Pace::Declining);
            assert!(rate >= 0.95, "{noise:?}, {what}: {rate}");
        }
    }
}

#[test]
fn what_gets_faster_is_rising() {
    for noise in NOISES {
        assert!(rate(|part| 1.0 + 0.3 * part, noise, Pace::Rising) >= 0.95, "{noise:?}");
    }
}

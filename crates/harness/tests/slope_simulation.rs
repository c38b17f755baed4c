//! How often growth is called, and called rightly, on made-up curves of memory. The seeds are fixed, so each rate is the same in
//! every run.

use fastrand::Rng;
use heapmark::stats::{GROWTH_MARGIN, Growth, Slope, Trend};

const EXPERIMENTS: u64 = 200;

/// Turns of a sample, as a workload about memory over time has them.
const TURNS: u32 = 60;

/// Samples of a contender, as a run has blocks by default.
const SAMPLES: usize = 10;

/// What disturbs a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Noise {
    /// Nothing but the luck of the process: a level of its own.
    Level,
    /// Each turn by 2 % of the level.
    Turns,
    /// A turn resembles the one before it: an autoregression of the first order with 0.6, of 2 % in all.
    Autocorrelated,
    /// Now and then a tenth of the memory goes back to the kernel, and comes again after some turns.
    Purges,
    /// A page now and then, up or down, since kernels count in batches.
    Pages,
}

const NOISES: [Noise; 5] = [Noise::Level, Noise::Turns, Noise::Autocorrelated, Noise::Purges, Noise::Pages];

fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos()
}

/// A curve whose true shape at a turn is `shape`, with a level around 1.
fn curve(shape: impl Fn(f64) -> f64, noise: Noise, rng: &mut Rng) -> Vec<f64> {
    let level = 1.0 + 0.03 * normal(rng);
    let (mut last, mut purged) = (normal(rng), 0);
    (0..TURNS)
        .map(|turn| {
            let truth = level * shape(f64::from(turn));
            match noise {
                Noise::Level => truth,
                Noise::Turns => truth * (1.0 + 0.02 * normal(rng)),
                Noise::Autocorrelated => {
                    last = 0.6 * last + 0.8 * normal(rng);
                    truth * (1.0 + 0.02 * last)
                }
                Noise::Purges => {
                    purged = if purged > 0 {
                        purged - 1
                    } else if rng.f64() < 0.05 {
                        4
                    } else {
                        0
                    };
                    if purged > 0 { 0.9 * truth } else { truth }
                }
                Noise::Pages => truth + 0.0002 * f64::from(rng.i32(-1..=1)),
            }
        })
        .collect()
}

/// How often each trend is called.
#[derive(Clone, Copy, Debug, Default)]
struct Rates {
    growing: f64,
    plateau: f64,
    flat: f64,
}

fn rates(shape: impl Fn(f64) -> f64 + Copy, noise: Noise) -> Rates {
    let mut rates = Rates::default();
    for seed in 0..EXPERIMENTS {
        let mut rng = Rng::with_seed(seed);
        let growth = |_| Growth::of(&curve(shape, noise, &mut rng)).expect("a curve of enough turns");
        let growths: Vec<Growth> = (0..SAMPLES).map(growth).collect();
        let called = match Slope::of(&growths, GROWTH_MARGIN).expect("there are samples").trend {
            Trend::Growing => &mut rates.growing,
            Trend::Plateau => &mut rates.plateau,
            Trend::Flat => &mut rates.flat,
            Trend::Unclear => continue,
        };
        *called += 1.0 / EXPERIMENTS as f64;
    }
    rates
}

/// How often at least it should be said that nothing grows (any more). Where a turn resembles the one before it, the second half
/// of a curve has less to say, and many such comparisons are unclear.
fn decided(noise: Noise) -> f64 {
    if noise == Noise::Autocorrelated { 0.3 } else { 0.9 }
}

#[test]
fn what_does_not_grow_is_never_called_growing_and_mostly_flat() {
    for noise in NOISES {
        let rates = rates(|_| 1.0, noise);
        assert!(rates.growing == 0.0 && rates.plateau + rates.flat > decided(noise), "{noise:?}: {rates:?}");
        // What comes and goes by tenths may have risen, for all that can be seen.
        let flat = if noise == Noise::Purges { 0.5 } else { decided(noise) };
        assert!(rates.flat > flat, "{noise:?}: {rates:?}");
    }
}

#[test]
fn a_leak_of_three_margins_is_found() {
    for noise in NOISES {
        let rates = rates(|turn| 1.0 + 3.0 * GROWTH_MARGIN * turn, noise);
        assert!(rates.growing > 0.9 && rates.flat == 0.0, "{noise:?}: {rates:?}");
    }
}

/// The interval covers the truth in 95 of 100 experiments, so that at the margin itself at most 2.5 lie above it; half as
/// much again for chance.
#[test]
fn growth_as_large_as_the_margin_is_hardly_ever_called() {
    for noise in [Noise::Turns, Noise::Autocorrelated] {
        // The level is that of the middle, so that growth relative to it is the margin.
        let middle = f64::from(TURNS) * 0.625;
        let rates = rates(|turn| 1.0 + GROWTH_MARGIN * (turn - middle), noise);
        assert!(rates.growing < 0.0375, "{noise:?}: {rates:?}");
    }
}

#[test]
fn what_saturates_is_a_plateau_or_flat_and_never_growing() {
    for noise in NOISES {
        // Arenas are filled one by one until there are as many as there will be: from half of the level to all of it.
        let rates = rates(|turn| 1.0 - 0.5 * (-turn / 6.0).exp(), noise);
        assert!(rates.growing == 0.0 && rates.plateau + rates.flat > decided(noise), "{noise:?}: {rates:?}");
    }
}

#[test]
fn an_early_step_is_a_plateau() {
    for noise in NOISES {
        let rates = rates(|turn| if turn < 25.0 { 0.7 } else { 1.0 }, noise);
        assert!(rates.growing < 0.0125 && rates.plateau > decided(noise), "{noise:?}: {rates:?}");
    }
}

#[test]
fn a_stairway_grows() {
    for noise in NOISES {
        let rates = rates(|turn| 0.7 + 0.05 * (turn / 6.0).floor(), noise);
        assert!(rates.growing > 0.9, "{noise:?}: {rates:?}");
    }
}

/// A logarithm never ends: what is called depends on how fast it is when it was seen last.
#[test]
fn a_logarithm_grows_as_long_as_its_slope_is_beyond_the_margin() {
    for noise in NOISES {
        let steep = rates(|turn| 0.3 + 0.2 * (turn + 1.0).ln(), noise);
        assert!(steep.growing > 0.9, "{noise:?}: {steep:?}");
        let gentle = rates(|turn| 0.98 + 0.005 * (turn + 1.0).ln(), noise);
        assert!(gentle.growing == 0.0 && gentle.plateau + gentle.flat > decided(noise), "{noise:?}: {gentle:?}");
    }
}

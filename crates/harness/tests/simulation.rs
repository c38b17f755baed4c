//! The error rates that the statistics promise, on a simulated machine, and those of what is often done instead. The
//! seeds are fixed, so each figure is the same in every run; `cargo run --release -p heapmark --example simulate`
//! prints more of them.

#[path = "../examples/simulate/design.rs"]
mod design;
#[path = "../examples/simulate/naive.rs"]
mod naive;
#[path = "../examples/simulate/noise.rs"]
mod noise;
#[path = "../examples/simulate/rates.rs"]
mod rates;

use design::Effect;
use noise::Noise;
use rates::{Ending, MARGIN};

/// Experiments for each figure.
const EXPERIMENTS: u64 = 300;

/// What ten blocks can have of 5 %: 2 × 25 of the 1,024 sign patterns have a rank sum of at most 8.
const NOMINAL: f64 = 50.0 / 1024.0;

/// How far a share may stray by chance: three and a half standard deviations of the binomial distribution.
fn chance(share: f64) -> f64 {
    3.5 * (share * (1.0 - share) / EXPERIMENTS as f64).sqrt()
}

fn assert_about(share: f64, expected: f64, what: &str) {
    assert!((share - expected).abs() <= chance(expected), "{what}: {share}, should be about {expected}");
}

fn assert_at_most(share: f64, most: f64, what: &str) {
    assert!(share <= most + chance(most), "{what}: {share}, should be at most {most}");
}

#[test]
fn two_copies_are_called_different_as_often_as_promised_whatever_the_noise() {
    let mut called = 0.0;
    for noise in Noise::ALL {
        let name = noise.name();
        let rates = rates::false_rates(noise, EXPERIMENTS);
        called += rates.called / Noise::ALL.len() as f64;
        assert_about(rates.called, NOMINAL, name);
        assert_about(rates.covered, 1.0 - NOMINAL, name);
        assert_at_most(rates.sign_flip, 0.05, name);
        assert_at_most(rates.t, 0.07, name);
        // Half of the level is the most at the edge of the margin, and the truth is in the middle.
        assert_at_most(rates.called_beyond_margin, 0.01, name);
        // Letting the sums decide adds next to nothing.
        assert_at_most(rates.uneven, 0.01, name);
        assert_at_most(rates.called_deciding, 0.05, name);
        assert_at_most(rates.called_deciding_beyond_margin, 0.01, name);
        assert!(rates.half_width > 0.005 && rates.half_width < 0.05, "{name}: {}", rates.half_width);
        if noise == Noise::Normal {
            let cost = rates.half_width / rates.t_half_width;
            assert!((0.9..1.2).contains(&cost), "the exact interval is {cost} times the t-interval");
        }

        // Turns share the luck of their process, so they are fewer observations than they seem; shared drift hides that
        // when interleaved, and does worse one after the other.
        let interleaved = if noise == Noise::Drifting { 0.0 } else { 0.15 };
        assert!(rates.naive_interleaved >= interleaved, "{name}: {}", rates.naive_interleaved);
        assert!(rates.naive_sequential > 0.15, "{name}: {}", rates.naive_sequential);
        // Processes are sound observations, but only on a machine that does not drift.
        if noise == Noise::Drifting {
            assert!(rates.processes_sequential > 0.5, "{}", rates.processes_sequential);
        } else {
            assert_at_most(rates.processes_sequential, 0.05, name);
        }
    }
    // Six times as many experiments stray less, by the root of six.
    assert!((called - NOMINAL).abs() <= chance(NOMINAL) / (Noise::ALL.len() as f64).sqrt(), "{called} over all noises");
}

#[test]
fn false_improvements_are_as_frequent_as_false_regressions() {
    let (mut faster, mut slower) = (0.0, 0.0);
    for noise in Noise::ALL {
        let (better, worse) = rates::false_directions(noise, EXPERIMENTS);
        assert_at_most(better + worse, NOMINAL, noise.name());
        assert_about(better, NOMINAL / 2.0, noise.name());
        assert_about(worse, NOMINAL / 2.0, noise.name());
        (faster, slower) = (faster + better, slower + worse);
    }
    // Each falls on either side with the same chance: the difference of the counts strays by the root of their sum.
    let (difference, all) = ((faster - slower) * EXPERIMENTS as f64, (faster + slower) * EXPERIMENTS as f64);
    assert!(all > 0.0 && difference.abs() <= 3.5 * all.sqrt(), "{faster} faster, {slower} slower");
}

#[test]
fn a_twin_in_many_workloads_is_called_no_more_often_than_in_one() {
    for noise in [Noise::Normal, Noise::HeavyTailed] {
        let (alone, controlled) = rates::twin(noise, 12, EXPERIMENTS / 3);
        assert!(alone > 0.3, "{}: {alone}", noise.name());
        assert_at_most(controlled, 0.05, noise.name());
    }
}

#[test]
fn a_true_difference_is_found_and_one_as_large_as_the_margin_is_not() {
    for noise in Noise::ALL {
        let name = noise.name();
        let (at_the_margin, covered) = rates::power(noise, 1.0 + MARGIN, EXPERIMENTS);
        assert_at_most(at_the_margin, 0.025, name);
        assert_about(covered, 1.0 - NOMINAL, name);
        let (called, covered) = rates::power(noise, 1.1, EXPERIMENTS);
        assert!(called > 0.9, "{name}: {called}");
        assert_about(covered, 1.0 - NOMINAL, name);
    }
}

#[test]
fn the_minimum_detectable_is_detected_in_about_four_of_five() {
    for noise in [Noise::Normal, Noise::Skewed, Noise::Bimodal] {
        let (called, effect) = rates::power_at_the_minimum_detectable(noise, EXPERIMENTS);
        assert!(effect > MARGIN && (0.65..0.95).contains(&called), "{}: {called} at {effect}", noise.name());
    }
}

#[test]
fn the_blocks_needed_settle_about_four_of_five() {
    for noise in [Noise::Normal, Noise::Skewed] {
        let settled = rates::settled_by_the_blocks_needed(noise, 1.02, EXPERIMENTS / 4);
        assert!((0.65..0.98).contains(&settled), "{}: {settled}", noise.name());
    }
}

#[test]
fn cost_in_rare_turns_is_found_in_the_sums() {
    let cost = 3.0;
    assert!((Effect::Rare(cost).overall() - 1.1).abs() < 1e-12);
    for noise in [Noise::Normal, Noise::Skewed, Noise::Autocorrelated, Noise::Drifting] {
        let (uneven, typical, verdict) = rates::rare_cost(noise, cost, EXPERIMENTS / 3);
        assert!(uneven > 0.9 && verdict > 0.9, "{}: {uneven} {verdict}", noise.name());
        assert_at_most(typical, 0.025, noise.name());
    }
}

#[test]
fn stopping_by_the_width_keeps_the_error_rate_and_stopping_by_the_verdict_does_not() {
    let by_width = rates::false_rate_ending(Noise::Normal, Ending::Precise, EXPERIMENTS);
    assert_at_most(by_width, 0.05, "by the width");
    let once_called = rates::false_rate_ending(Noise::Normal, Ending::Called, EXPERIMENTS / 3);
    assert!(once_called > 2.0 * by_width, "{once_called} {by_width}");
}

//! How often what happens, over many simulated experiments.

use heapmark::Nanos;
use heapmark::stats::{
    Direction, Estimate, PairEstimate, Progress, Stop, Verdict, blocks_needed, enough, estimate, judge,
    minimum_detectable, sign_flip_test, t_interval, twin_differs,
};

use crate::design::{Block, Effect, interleaved, reduced, sequential};
use crate::naive::{processes_as_observations, turns_as_observations};
use crate::noise::{Machine, Noise};

/// Blocks of an experiment, unless said otherwise: what `heapmark run` does by default.
pub(crate) const BLOCKS: usize = 10;

/// The practical margin, unless said otherwise.
pub(crate) const MARGIN: f64 = 0.01;

/// The share of experiments in which it happens; each has its own seed.
fn share(experiments: u64, mut happens: impl FnMut(u64) -> bool) -> f64 {
    (1..=experiments).filter(|&seed| happens(seed)).count() as f64 / experiments as f64
}

fn pair(machine: &mut Machine, effect: Effect, blocks: usize) -> PairEstimate {
    let blocks: Vec<_> = (0..blocks).map(|_| reduced(&interleaved(machine, effect))).collect();
    PairEstimate::of(&blocks).expect("simulated ratios are finite")
}

fn verdict(estimate: &Estimate, margin: f64) -> Verdict {
    judge(estimate, margin, Direction::Time)
}

/// Rates of false findings, where there is nothing to find.
pub(crate) struct False {
    /// A difference is called, with no margin.
    pub(crate) called: f64,
    /// The same, with the default margin.
    pub(crate) called_beyond_margin: f64,
    /// The interval covers the truth.
    pub(crate) covered: f64,
    /// The pair is called uneven.
    pub(crate) uneven: f64,
    /// A difference is called by what decides, the sums where the pair is uneven, with no margin.
    pub(crate) called_deciding: f64,
    /// The same, with the default margin.
    pub(crate) called_deciding_beyond_margin: f64,
    /// The sign-flip test rejects at 5 %.
    pub(crate) sign_flip: f64,
    /// The t-interval of 95 % excludes the truth.
    pub(crate) t: f64,
    /// Half-width of the interval of the median experiment.
    pub(crate) half_width: f64,
    /// The same of the t-interval.
    pub(crate) t_half_width: f64,
    /// Welch's test rejects at 5 %, each turn taken for an observation, interleaved.
    pub(crate) naive_interleaved: f64,
    /// The same, first all of one, then all of the other.
    pub(crate) naive_sequential: f64,
    /// Welch's test on medians of processes, first all of one, then all of the other.
    pub(crate) processes_sequential: f64,
}

pub(crate) fn false_rates(noise: Noise, experiments: u64) -> False {
    let mut counts = [0_u32; 11];
    let (mut widths, mut t_widths) = (Vec::new(), Vec::new());
    for seed in 1..=experiments {
        let mut machine = Machine::new(noise, seed);
        let blocks: Vec<Block> = (0..BLOCKS).map(|_| interleaved(&mut machine, Effect::Even(1.0))).collect();
        let ratios: Vec<_> = blocks.iter().map(reduced).collect();
        let of_turns: Vec<f64> = ratios.iter().map(|ratio| ratio.of_turns).collect();
        let pair = PairEstimate::of(&ratios).expect("simulated ratios are finite");
        let (low, high) = pair.of_turns.interval().expect("ten blocks have an interval");
        let (t_low, t_high) = t_interval(&of_turns, 0.95).expect("ten blocks have an interval");
        let apart = sequential(&mut Machine::new(noise, seed), BLOCKS);
        let happened = [
            verdict(&pair.of_turns, 0.0).is_difference(),
            verdict(&pair.of_turns, MARGIN).is_difference(),
            low <= 1.0 && 1.0 <= high,
            pair.uneven,
            verdict(pair.deciding(), 0.0).is_difference(),
            verdict(pair.deciding(), MARGIN).is_difference(),
            sign_flip_test(&of_turns).is_some_and(|p| p <= 0.05),
            t_low > 0.0 || t_high < 0.0,
            turns_as_observations(&blocks) <= 0.05,
            turns_as_observations(&apart) <= 0.05,
            processes_as_observations(&apart) <= 0.05,
        ];
        counts.iter_mut().zip(happened).for_each(|(count, happened)| *count += u32::from(happened));
        widths.push((high.ln() - low.ln()) / 2.0);
        t_widths.push((t_high - t_low) / 2.0);
    }
    let [
        called,
        called_beyond_margin,
        covered,
        uneven,
        called_deciding,
        called_deciding_beyond_margin,
        sign_flip,
        t,
        naive_interleaved,
        naive_sequential,
        processes_sequential,
    ] = counts.map(|count| f64::from(count) / experiments as f64);
    let middle = |widths: &[f64]| heapmark::stats::median(widths).unwrap_or(f64::NAN);
    False {
        called,
        called_beyond_margin,
        covered,
        uneven,
        called_deciding,
        called_deciding_beyond_margin,
        sign_flip,
        t,
        half_width: middle(&widths),
        t_half_width: middle(&t_widths),
        naive_interleaved,
        naive_sequential,
        processes_sequential,
    }
}

/// How often one of two copies is called faster, and how often slower, with no margin.
pub(crate) fn false_directions(noise: Noise, experiments: u64) -> (f64, f64) {
    let called = |wanted: Verdict| {
        share(experiments, |seed| {
            verdict(&pair(&mut Machine::new(noise, seed), Effect::Even(1.0), BLOCKS).of_turns, 0.0) == wanted
        })
    };
    (called(Verdict::Faster), called(Verdict::Slower))
}

/// How often a twin is called different in any of so many workloads, with no margin: by the verdict of each workload
/// alone, and by the control.
pub(crate) fn twin(noise: Noise, workloads: usize, experiments: u64) -> (f64, f64) {
    let (mut alone, mut controlled) = (0_u32, 0_u32);
    for seed in 1..=experiments {
        let mut machine = Machine::new(noise, seed);
        let mut block = || reduced(&interleaved(&mut machine, Effect::Even(1.0))).of_turns;
        let log_ratios: Vec<Vec<f64>> = (0..workloads).map(|_| (0..BLOCKS).map(|_| block()).collect()).collect();
        alone += u32::from(log_ratios.iter().any(|log_ratios| is_called(log_ratios)));
        controlled += u32::from(twin_differs(&log_ratios, 0.0).contains(&true));
    }
    (f64::from(alone) / experiments as f64, f64::from(controlled) / experiments as f64)
}

/// Whether a difference is called, with no margin.
fn is_called(log_ratios: &[f64]) -> bool {
    estimate(log_ratios).is_some_and(|estimate| verdict(&estimate, 0.0).is_difference())
}

/// How often an effect is called slower, with the default margin, and how often its interval covers it.
pub(crate) fn power(noise: Noise, effect: f64, experiments: u64) -> (f64, f64) {
    let mut covered = 0_u32;
    let called = share(experiments, |seed| {
        let pair = pair(&mut Machine::new(noise, seed), Effect::Even(effect), BLOCKS);
        let (low, high) = pair.of_turns.interval().expect("ten blocks have an interval");
        covered += u32::from(low <= effect && effect <= high);
        verdict(pair.deciding(), MARGIN) == Verdict::Slower
    });
    (called, f64::from(covered) / experiments as f64)
}

/// For a cost in rare turns: how often the pair is called uneven, how often the typical turn alone would call it
/// slower, and how often it is called slower.
pub(crate) fn rare_cost(noise: Noise, cost: f64, experiments: u64) -> (f64, f64, f64) {
    let of = |happens: fn(&PairEstimate) -> bool| {
        share(experiments, |seed| happens(&pair(&mut Machine::new(noise, seed), Effect::Rare(cost), BLOCKS)))
    };
    (
        of(|pair| pair.uneven),
        of(|pair| verdict(&pair.of_turns, MARGIN) == Verdict::Slower),
        of(|pair| verdict(pair.deciding(), MARGIN) == Verdict::Slower),
    )
}

/// How often an effect is called that is as large as the median experiment without an effect says it could detect; and
/// that effect.
pub(crate) fn power_at_the_minimum_detectable(noise: Noise, experiments: u64) -> (f64, f64) {
    let detectable: Vec<f64> = (1..=experiments)
        .filter_map(|seed| {
            let pair = pair(&mut Machine::new(noise, seed), Effect::Even(1.0), BLOCKS);
            minimum_detectable(&pair.of_turns, MARGIN)
        })
        .collect();
    let effect = heapmark::stats::median(&detectable).unwrap_or(f64::NAN);
    (power(noise, 1.0 + effect, experiments).0, effect)
}

/// Of experiments that leave an effect unclear, how often as many blocks as they ask for settle one as large as they
/// estimated. An experiment that asks for more than 200 blocks is passed over.
pub(crate) fn settled_by_the_blocks_needed(noise: Noise, effect: f64, experiments: u64) -> f64 {
    let (mut tried, mut settled) = (0_u32, 0_u32);
    for seed in 1..=experiments {
        let pilot = pair(&mut Machine::new(noise, seed), Effect::Even(effect), BLOCKS).of_turns;
        if verdict(&pilot, MARGIN) != Verdict::Unclear {
            continue;
        }
        let Some(needed) = blocks_needed(&pilot, MARGIN).filter(|&needed| needed <= 200) else { continue };
        let seed = seed + experiments;
        let second = pair(&mut Machine::new(noise, seed), Effect::Even(pilot.ratio), needed).of_turns;
        tried += 1;
        settled += u32::from(verdict(&second, MARGIN) != Verdict::Unclear);
    }
    f64::from(settled) / f64::from(tried)
}

/// When an experiment is over, asked at the looks of the precision target.
#[derive(Clone, Copy)]
pub(crate) enum Ending {
    /// At the precision of 1 %, looking at the width only.
    Precise,
    /// Once a difference is called, which nobody should do.
    Called,
}

/// How often a difference is called falsely, with no margin, by an experiment of up to 60 blocks that ends like this.
pub(crate) fn false_rate_ending(noise: Noise, ending: Ending, experiments: u64) -> f64 {
    share(experiments, |seed| {
        let mut machine = Machine::new(noise, seed);
        let mut pairs = [Vec::new()];
        for blocks in 1..=60 {
            pairs[0].push(reduced(&interleaved(&mut machine, Effect::Even(1.0))).of_turns);
            let progress = Progress { blocks, elapsed: Nanos(0), pairs: &pairs };
            let over = match ending {
                Ending::Precise => enough(&progress, &[Stop::Precision(0.01)]),
                // An infinite precision is always reached, so this is a look.
                Ending::Called => enough(&progress, &[Stop::Precision(f64::INFINITY)]) && is_called(&pairs[0]),
            };
            if over {
                break;
            }
        }
        is_called(&pairs[0])
    })
}

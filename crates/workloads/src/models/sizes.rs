//! How large blocks are.

use std::f64::consts::LN_2;

use fastrand::Rng;
use heapmark_worker::{Parameter, Setup};

use super::Cycle;
use super::cycle::LENGTH;

/// The shape of a distribution of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizesKind {
    /// All blocks have the least size.
    Fixed,
    /// Every size is as frequent as any other.
    Uniform,
    /// The larger the rarer, down to none at the greatest size, in a straight line.
    Falling,
    /// Every doubling of the size is as frequent as any other.
    LogUniform,
    /// Twice the size is a quarter as frequent: the power law that is named after Pareto, with exponent 1.
    InverseSquare,
    /// The sizes in steps of eight bytes, ranked from the least: the second is half as frequent as the first, the tenth
    /// a tenth.
    Zipf,
    /// What large fleets of servers ask for.
    Fleet,
}

/// Where the sizes of a fleet lie: a share of all blocks, and the size that they do not exceed; between two points
/// every doubling is equally frequent.
///
/// The shape follows what the production profiles in Google's Fleetbench show when weighted by allocations: median 48
/// to 64 bytes, 90th percentile 0.2 to 1.6 KiB, 99th 4 to 32 KiB, 70 to 87 % of 128 bytes at most.
const FLEET: [(f64, f64); 11] = [
    (0.0, 8.0),
    (0.15, 16.0),
    (0.32, 32.0),
    (0.5, 56.0),
    (0.66, 80.0),
    (0.78, 128.0),
    (0.9, 576.0),
    (0.95, 2048.0),
    (0.99, 12_288.0),
    (0.999, 65_536.0),
    (1.0, 262_144.0),
];

/// The mean size of [`SizesKind::Fleet`], which a test compares with what is drawn.
const FLEET_MEAN: f64 = 790.0;

/// A distribution of sizes between a least and a greatest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    kind: SizesKind,
    min: usize,
    max: usize,
}

impl Sizes {
    /// Fails if the least size is more than the greatest.
    pub(crate) fn new(kind: SizesKind, min: usize, max: usize) -> Result<Self, String> {
        if min > max && kind != SizesKind::Fixed {
            return Err(format!("min_size={min} is more than max_size={max}"));
        }
        Ok(Self { kind, min, max: max.max(min) })
    }

    /// The distribution that the parameters `sizes`, `min_size` and `max_size` set. Fails in the name of `workload`.
    pub(crate) fn of(workload: &str, setup: &Setup<'_>) -> Result<Self, String> {
        let kind = match setup.choice("sizes") {
            "fixed" => SizesKind::Fixed,
            "uniform" => SizesKind::Uniform,
            "falling" => SizesKind::Falling,
            "log-uniform" => SizesKind::LogUniform,
            "inverse-square" => SizesKind::InverseSquare,
            "zipf" => SizesKind::Zipf,
            _ => SizesKind::Fleet,
        };
        Self::new(kind, setup.size("min_size"), setup.size("max_size")).map_err(|error| format!("{workload}: {error}"))
    }

    /// Draws a size.
    pub(crate) fn draw(&self, rng: &mut Rng) -> usize {
        let (min, max) = (self.min as f64, self.max as f64);
        let size = match self.kind {
            SizesKind::Fixed => return self.min,
            SizesKind::Uniform => return rng.usize(self.min..=self.max),
            SizesKind::Falling => min + (max + 1.0 - min) * (1.0 - rng.f64().sqrt()),
            SizesKind::LogUniform => min * ((max + 1.0) / min).powf(rng.f64()),
            SizesKind::InverseSquare => 1.0 / (1.0 / min - rng.f64() * (1.0 / min - 1.0 / (max + 1.0))),
            SizesKind::Zipf => min + 8.0 * (zipf(rng, self.ranks()) - 1.0),
            SizesKind::Fleet => fleet(rng.f64()),
        };
        whole(size).clamp(self.min, self.max)
    }

    /// Draws a cycle of sizes.
    pub(crate) fn cycle(&self, rng: &mut Rng) -> Cycle {
        Cycle::draw(LENGTH, || self.draw(rng))
    }

    /// The mean of what is drawn.
    pub(crate) fn mean(&self) -> usize {
        let (min, max) = (self.min as f64, self.max as f64);
        if self.min == self.max {
            return self.min;
        }
        whole(match self.kind {
            SizesKind::Fixed => min,
            SizesKind::Uniform => f64::midpoint(min, max),
            SizesKind::Falling => min + (max - min) / 3.0,
            SizesKind::LogUniform => (max - min) / (max / min).ln(),
            SizesKind::InverseSquare => (max / min).ln() / (1.0 / min - 1.0 / max),
            SizesKind::Zipf => {
                let ranks = self.ranks();
                // The harmonic number, which Euler's constant and a logarithm give to one part in a thousand from ten
                // on.
                let harmonic = ranks.ln() + 0.577_216 + 1.0 / (2.0 * ranks);
                min + 8.0 * (ranks / harmonic - 1.0)
            }
            SizesKind::Fleet => FLEET_MEAN,
        })
        .clamp(self.min, self.max)
    }

    /// The greatest size.
    #[cfg(test)]
    pub(crate) const fn max(&self) -> usize {
        match self.kind {
            SizesKind::Fixed => self.min,
            _ => self.max,
        }
    }

    /// How many sizes there are in steps of eight bytes.
    fn ranks(&self) -> f64 {
        ((self.max - self.min) / 8 + 1) as f64
    }
}

/// A rank from 1 to `ranks`, as frequent as its inverse. By rejection: a continuous rank is drawn whose density is the
/// inverse, and cut down to a whole one; the whole ranks then have the frequency ln(1 + 1/rank), of which as much is
/// refused as it exceeds its share.
fn zipf(rng: &mut Rng, ranks: f64) -> f64 {
    loop {
        let rank = (ranks + 1.0).powf(rng.f64()).floor().clamp(1.0, ranks);
        if rng.f64() * (1.0 / rank).ln_1p() <= LN_2 / rank {
            return rank;
        }
    }
}

/// The size below which `share` of a fleet's blocks are, in steps of eight bytes.
fn fleet(share: f64) -> f64 {
    let above = FLEET.partition_point(|(below, _)| *below <= share).clamp(1, FLEET.len() - 1);
    let ((from, small), (to, large)) = (FLEET[above - 1], FLEET[above]);
    let size = small * (large / small).powf((share - from) / (to - from));
    (size / 8.0).round() * 8.0
}

/// A size that has been computed, in whole bytes.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes are positive and far below 2^53, and the part behind the point is to go"
)]
fn whole(size: f64) -> usize {
    size as usize
}

const SUMMARY: &str = "how sizes are spread between min_size and max_size; fixed is all of min_size";

/// The parameter `sizes`, with this default.
pub(crate) const fn sizes(default: SizesKind) -> Parameter {
    use SizesKind as K;
    let words: &'static [&'static str] = match default {
        K::Fixed => &["fixed", "uniform", "falling", "log-uniform", "inverse-square", "zipf", "fleet"],
        K::Uniform => &["uniform", "fixed", "falling", "log-uniform", "inverse-square", "zipf", "fleet"],
        K::Falling => &["falling", "fixed", "uniform", "log-uniform", "inverse-square", "zipf", "fleet"],
        K::LogUniform => &["log-uniform", "fixed", "uniform", "falling", "inverse-square", "zipf", "fleet"],
        K::InverseSquare => &["inverse-square", "fixed", "uniform", "falling", "log-uniform", "zipf", "fleet"],
        K::Zipf => &["zipf", "fixed", "uniform", "falling", "log-uniform", "inverse-square", "fleet"],
        K::Fleet => &["fleet", "fixed", "uniform", "falling", "log-uniform", "inverse-square", "zipf"],
    };
    Parameter::choice("sizes", words, SUMMARY)
}

/// The parameter `min_size`, with this default.
pub(crate) const fn min_size(default: u64) -> Parameter {
    Parameter::number("min_size", default, 8, 1 << 30, "bytes of the smallest block")
}

/// The parameter `max_size`, with this default.
pub(crate) const fn max_size(default: u64) -> Parameter {
    Parameter::number("max_size", default, 8, 1 << 30, "bytes of the largest block")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    /// Where a fleet's sizes end.
    const FLEET_MAX: usize = 1 << 18;

    const KINDS: [SizesKind; 7] = [
        SizesKind::Fixed,
        SizesKind::Uniform,
        SizesKind::Falling,
        SizesKind::LogUniform,
        SizesKind::InverseSquare,
        SizesKind::Zipf,
        SizesKind::Fleet,
    ];

    /// So many sizes, sorted.
    fn drawn(kind: SizesKind, min: usize, max: usize) -> Vec<usize> {
        let sizes = Sizes::new(kind, min, max).unwrap();
        let mut rng = stream(1, 0);
        let mut drawn: Vec<_> = (0..400_000).map(|_| sizes.draw(&mut rng)).collect();
        drawn.sort_unstable();
        drawn
    }

    fn mean(drawn: &[usize]) -> f64 {
        drawn.iter().sum::<usize>() as f64 / drawn.len() as f64
    }

    /// The share of sizes that are at most `size`.
    fn share(drawn: &[usize], size: usize) -> f64 {
        drawn.partition_point(|drawn| *drawn <= size) as f64 / drawn.len() as f64
    }

    fn quantile(drawn: &[usize], percent: usize) -> usize {
        drawn[drawn.len() * percent / 100]
    }

    #[test]
    fn a_fleet_asks_for_what_production_profiles_show() {
        let drawn = drawn(SizesKind::Fleet, 8, FLEET_MAX);
        assert!((48..=64).contains(&quantile(&drawn, 50)), "median {}", quantile(&drawn, 50));
        assert!((205..=1638).contains(&quantile(&drawn, 90)), "90th percentile {}", quantile(&drawn, 90));
        assert!((4096..=32_768).contains(&quantile(&drawn, 99)), "99th percentile {}", quantile(&drawn, 99));
        assert!((0.7..=0.87).contains(&share(&drawn, 128)), "{} at most 128", share(&drawn, 128));
        assert!((197.0..=1334.0).contains(&mean(&drawn)), "mean {}", mean(&drawn));
        assert!((mean(&drawn) / FLEET_MEAN - 1.0).abs() < 0.05, "mean {}", mean(&drawn));
        assert!(drawn.iter().all(|size| size % 8 == 0) && quantile(&drawn, 0) >= 8);
    }

    #[test]
    fn means_and_bounds_are_what_they_are_said_to_be() {
        for kind in KINDS {
            for (min, max) in [(8, 1000), (16, 32_768), (64, 64), (100, 101), (8, 1 << 16)] {
                let sizes = Sizes::new(kind, min, max).unwrap();
                let drawn = drawn(kind, min, max);
                assert!(drawn[0] >= min && drawn[drawn.len() - 1] <= sizes.max(), "{kind:?} {min}..={max}");
                if kind == SizesKind::Fleet {
                    // What exceeds the bounds is cut, so that the mean of the whole is only a bound.
                    assert!(mean(&drawn) <= sizes.mean().max(min) as f64 * 1.05);
                    continue;
                }
                let (said, found) = (sizes.mean() as f64, mean(&drawn));
                assert!(
                    (said / found - 1.0).abs() < 0.05 || (said - found).abs() < 1.0,
                    "{kind:?}: {said} and {found}"
                );
            }
        }
    }

    #[test]
    fn shapes_are_those_of_their_names() {
        let uniform = drawn(SizesKind::Uniform, 1, 1000);
        assert!((share(&uniform, 500) - 0.5).abs() < 0.01);
        let falling = drawn(SizesKind::Falling, 0, 999);
        // Three quarters lie below the middle where the density falls to zero in a straight line.
        assert!((share(&falling, 499) - 0.75).abs() < 0.01);
        let log = drawn(SizesKind::LogUniform, 16, 1 << 16);
        for power in 4..16_u32 {
            let octave = share(&log, (2 << power) - 1) - share(&log, (1 << power) - 1);
            assert!((octave - 1.0 / 12.0).abs() < 0.01, "2^{power}: {octave}");
        }
        let square = drawn(SizesKind::InverseSquare, 8, 1 << 20);
        // The share above a size is the inverse of the size.
        for size in [16, 64, 256] {
            assert!(((1.0 - share(&square, size - 1)) * size as f64 / 8.0 - 1.0).abs() < 0.1, "{size}");
        }
        let zipf = drawn(SizesKind::Zipf, 8, 800);
        let least = share(&zipf, 8);
        for rank in 2..10 {
            let found = share(&zipf, 8 * rank) - share(&zipf, 8 * rank - 1);
            assert!((found * rank as f64 / least - 1.0).abs() < 0.05, "rank {rank}: {found} and {least}");
        }
    }

    #[test]
    fn the_wrong_way_round_is_refused() {
        let error = Sizes::new(SizesKind::Uniform, 9, 8).unwrap_err();
        assert!(error.contains("min_size=9") && error.contains("max_size=8"), "{error}");
        assert_eq!(Sizes::new(SizesKind::Fixed, 9, 8).unwrap().max(), 9, "the greatest size does not matter then");
    }
}

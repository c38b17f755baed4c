//! Two readings of the same turns: the typical turn, and the sum of all. They part where the cost lies in rare turns.

use serde::{Deserialize, Serialize};

use super::{Estimate, estimate, median};

/// One block of a contender and the reference, reduced from its turns to two log-ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockRatio {
    /// The median over the turns of log(contender ÷ reference) of the same turn.
    pub of_turns: f64,
    /// Log(sum of the contender's turns ÷ sum of the reference's).
    pub of_sums: f64,
}

impl BlockRatio {
    /// Reduces the turns of a block. A turn that took neither of them any time, as a coarse clock may have it, says
    /// nothing about the ratio and is left out of the median. Nothing where they do not have the same number of turns,
    /// or where a log-ratio is not finite: without turns, where more than a few are zero, where one is negative or not
    /// a number.
    pub fn of(contender: &[f64], reference: &[f64]) -> Option<Self> {
        if contender.len() != reference.len() {
            return None;
        }
        let pairs = contender.iter().zip(reference);
        let informative = pairs.filter(|(ours, theirs)| **ours != 0.0 || **theirs != 0.0);
        let log_ratios: Vec<f64> = informative.map(|(ours, theirs)| (ours / theirs).ln()).collect();
        let of_turns = median(&log_ratios)?;
        let of_sums = (contender.iter().sum::<f64>() / reference.iter().sum::<f64>()).ln();
        (of_turns.is_finite() && of_sums.is_finite()).then_some(Self { of_turns, of_sums })
    }
}

/// Both readings of a pair, and which of them decides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairEstimate {
    /// From the median over the turns of each block.
    pub of_turns: Estimate,
    /// From the ratio of the sums of each block.
    pub of_sums: Estimate,
    /// Whether the interval of the sums excludes the estimate from the turns: the cost lies in rare turns, such as
    /// purges.
    pub uneven: bool,
}

impl PairEstimate {
    /// Both estimates from the blocks of a pair. Nothing for no blocks, or where a log-ratio is not finite.
    pub fn of(blocks: &[BlockRatio]) -> Option<Self> {
        let read = |ratio: fn(&BlockRatio) -> f64| estimate(&blocks.iter().map(ratio).collect::<Vec<_>>());
        let of_turns = read(|block| block.of_turns)?;
        let of_sums = read(|block| block.of_sums)?;
        let uneven = of_sums.interval().is_some_and(|(low, high)| of_turns.ratio < low || of_turns.ratio > high);
        Some(Self { of_turns, of_sums, uneven })
    }

    /// The estimate that decides: the sums where the pair is uneven, since rare turns are paid for too; else the turns,
    /// which are steadier.
    pub fn deciding(&self) -> &Estimate {
        if self.uneven { &self.of_sums } else { &self.of_turns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Direction, Verdict, judge};

    /// Ten blocks of 40 turns that differ a little, with `rare` times the cost in turns 7 and 23 of the contender.
    fn blocks(rare: f64) -> Vec<BlockRatio> {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut turn = || 1000.0 + 10.0 * rng.f64();
        (0..10)
            .map(|_| {
                let reference: Vec<f64> = (0..40).map(|_| turn()).collect();
                let cost = |i| if i == 7 || i == 23 { rare } else { 1.0 };
                let contender: Vec<f64> = (0..40).map(|i| turn() * cost(i)).collect();
                BlockRatio::of(&contender, &reference).unwrap()
            })
            .collect()
    }

    #[test]
    fn cost_in_rare_turns_is_seen_and_decides() {
        let pair = PairEstimate::of(&blocks(3.0)).unwrap();
        assert!(pair.uneven);
        assert!((pair.of_turns.ratio - 1.0).abs() < 0.005, "{pair:?}");
        assert!((pair.deciding().ratio - 1.1).abs() < 0.005, "{pair:?}");
        assert_eq!(judge(&pair.of_turns, 0.01, Direction::Time), Verdict::Same);
        assert_eq!(judge(pair.deciding(), 0.01, Direction::Time), Verdict::Slower);
    }

    #[test]
    fn even_cost_is_read_from_the_turns() {
        let pair = PairEstimate::of(&blocks(1.0)).unwrap();
        assert!(!pair.uneven, "{pair:?}");
        assert_eq!(pair.deciding(), &pair.of_turns);
    }

    #[test]
    fn too_few_blocks_are_never_uneven() {
        let pair = PairEstimate::of(&blocks(3.0)[..5]).unwrap();
        assert!(!pair.uneven && pair.of_sums.interval().is_none());
    }

    #[test]
    fn turns_without_time_say_nothing() {
        let block = BlockRatio::of(&[0.0, 2.0, 2.0, 0.0], &[0.0, 1.0, 1.0, 0.0]).unwrap();
        assert!((block.of_turns.exp() - 2.0).abs() < 1e-12 && (block.of_sums.exp() - 2.0).abs() < 1e-12);
    }

    #[test]
    fn every_input_has_a_defined_answer() {
        for (ours, theirs) in [
            (&[][..], &[][..]),
            (&[1.0], &[1.0, 2.0]),
            (&[0.0], &[1.0]),
            (&[1.0], &[0.0]),
            (&[0.0, 0.0], &[0.0, 0.0]),
            (&[f64::NAN], &[1.0]),
            (&[-1.0], &[1.0]),
            (&[f64::INFINITY], &[f64::INFINITY]),
            (&[f64::MAX, f64::MAX], &[1.0, 1.0]),
        ] {
            assert_eq!(BlockRatio::of(ours, theirs), None, "{ours:?} {theirs:?}");
        }
        assert_eq!(PairEstimate::of(&[]), None);
        assert_eq!(PairEstimate::of(&[BlockRatio { of_turns: 0.0, of_sums: f64::NAN }]), None);
    }
}

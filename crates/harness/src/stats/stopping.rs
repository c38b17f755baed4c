//! When a run has seen enough. Fixed before the first sample, and blind to the verdict: stopping once it is clear calls
//! false differences far more often than the interval admits (`cargo run --release -p heapmark --example simulate` shows how often).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::estimate::CONFIDENCE;
use super::signed_rank_interval;
use crate::Nanos;

/// Blocks before the first look at the precision.
const FIRST_LOOK: u32 = 12;

/// Blocks from one look to the next: each look is one more chance to stop at an interval that is narrow by luck.
const BETWEEN_LOOKS: u32 = 5;

/// A reason to stop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// So many blocks are complete.
    Blocks(u32),
    /// So much time has passed. A block that would not fit any more is not begun.
    Budget(Nanos),
    /// The interval of every pair reaches at most this far from its estimate: 0.01 for 1 %. Looked at after 12 blocks
    /// and every 5 further ones. Noise may never allow it, so it wants another reason beside it.
    Precision(f64),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blocks(blocks) => write!(f, "{blocks} blocks"),
            Self::Budget(budget) => write!(f, "a budget of {budget}"),
            Self::Precision(precision) => write!(f, "a precision of ±{} %", precision * 100.0),
        }
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Complete blocks.
    pub blocks: u32,
    /// Time since the first.
    pub elapsed: Nanos,
    /// For each pair of contender and reference, or each metric of one, the log-ratios of its blocks. A pair of which
    /// one failed is judged by its failure and does not belong here.
    pub pairs: &'a [Vec<f64>],
}

/// Whether one of the reasons to stop holds; never, where there is none.
pub fn enough(progress: &Progress<'_>, reasons: &[Stop]) -> bool {
    reasons.iter().any(|reason| match *reason {
        Stop::Blocks(blocks) => progress.blocks >= blocks,
        Stop::Budget(budget) => progress.elapsed >= budget,
        Stop::Precision(precision) => {
            is_look(progress.blocks) && progress.pairs.iter().all(|pair| is_precise(pair, precision))
        }
    })
}

fn is_look(blocks: u32) -> bool {
    blocks >= FIRST_LOOK && (blocks - FIRST_LOOK).is_multiple_of(BETWEEN_LOOKS)
}

/// Half the width of the interval against the precision, both as logarithms. A pair with a log-ratio that is not finite
/// will never have an interval, so nobody waits for it; one with too few blocks may yet.
fn is_precise(log_ratios: &[f64], precision: f64) -> bool {
    if log_ratios.iter().any(|ratio| !ratio.is_finite()) {
        return true;
    }
    signed_rank_interval(log_ratios, CONFIDENCE).is_some_and(|(low, high)| high / 2.0 - low / 2.0 <= precision.ln_1p())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks that alternate around zero, this far away.
    fn pair(blocks: usize, spread: f64) -> Vec<f64> {
        (0..blocks).map(|i| if i % 2 == 0 { spread } else { -spread }).collect()
    }

    fn precise(blocks: usize, pairs: &[Vec<f64>], precision: f64) -> bool {
        let blocks = u32::try_from(blocks).unwrap();
        enough(&Progress { blocks, elapsed: Nanos(0), pairs }, &[Stop::Precision(precision)])
    }

    #[test]
    fn precision_is_looked_at_from_twelve_blocks_every_five() {
        let looks: Vec<usize> = (0..40).filter(|&blocks| precise(blocks, &[pair(blocks, 1e-6)], 0.01)).collect();
        assert_eq!(looks, [12, 17, 22, 27, 32, 37]);
    }

    #[test]
    fn the_widest_pair_decides() {
        assert!(precise(12, &[pair(12, 0.001), pair(12, 0.009)], 0.01));
        assert!(!precise(12, &[pair(12, 0.001), pair(12, 0.02)], 0.01));
    }

    #[test]
    fn the_verdict_has_no_say() {
        // The same spread around no difference and around a blatant one.
        for centre in [0.0, 1.0] {
            let shifted: Vec<f64> = pair(12, 0.02).iter().map(|ratio| ratio + centre).collect();
            assert!(!precise(12, std::slice::from_ref(&shifted), 0.01));
            assert!(precise(12, &[shifted], 0.05));
        }
    }

    #[test]
    fn any_reason_is_enough() {
        let at = |blocks, ns| Progress { blocks, elapsed: Nanos(ns), pairs: &[] };
        let reasons = [Stop::Blocks(10), Stop::Budget(Nanos(60))];
        assert!(!enough(&at(9, 59), &reasons));
        assert!(enough(&at(10, 0), &reasons));
        assert!(enough(&at(0, 60), &reasons));
        assert!(!enough(&at(u32::MAX, u64::MAX), &[]));
    }

    #[test]
    fn reasons_survive_a_record() {
        let reasons = [Stop::Blocks(10), Stop::Budget(Nanos(60)), Stop::Precision(0.01)];
        let text = serde_json::to_string(&reasons).unwrap();
        assert_eq!(text, r#"[{"blocks":10},{"budget":60},{"precision":0.01}]"#);
        assert_eq!(serde_json::from_str::<Vec<Stop>>(&text).unwrap(), reasons);
    }

    #[test]
    fn every_input_has_a_defined_answer() {
        assert!(precise(12, &[], 0.01));
        assert!(!precise(12, &[vec![]], 0.01));
        assert!(!precise(12, &[pair(5, 0.0)], 0.01));
        assert!(precise(12, &[vec![f64::NAN; 12]], 0.01));
        assert!(precise(12, &[pair(12, 0.0)], 0.0));
        for precision in [0.0, -1.0, f64::NAN] {
            assert!(!precise(12, &[pair(12, 0.001)], precision), "{precision}");
        }
    }
}

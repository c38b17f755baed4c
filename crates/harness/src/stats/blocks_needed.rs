//! How many blocks would settle what is unclear.

use super::verdict::{DETECTION, DETECTION_INSIDE};
use super::{Direction, Estimate, MINIMUM_BLOCKS, Verdict, judge};

/// More blocks than anyone would wait for; where more are needed, the effect is as good as equal to the margin.
const MOST: f64 = 100_000.0;

/// About how many blocks there would have to be, all told, for a verdict other than unclear: the interval shrinks with
/// the root of their number, and with this many it clears the margin in four of five runs, if the true ratio is the
/// estimated one.
///
/// The number of blocks there are, where the verdict is already clear. Six, the least for any verdict, where there are
/// fewer. Nothing where no number would do: the ratio is as large as the margin, or the margin is negative or not a
/// number.
pub fn blocks_needed(estimate: &Estimate, margin: f64) -> Option<usize> {
    let Some((low, high)) = estimate.interval().filter(|_| estimate.blocks >= MINIMUM_BLOCKS) else {
        return Some(MINIMUM_BLOCKS);
    };
    if judge(estimate, margin, Direction::Time) != Verdict::Unclear {
        return Some(estimate.blocks);
    }
    if margin.is_nan() || margin < 0.0 {
        return None;
    }
    let effect = estimate.ratio.ln().abs() - margin.ln_1p();
    let reach = if effect > 0.0 { DETECTION } else { DETECTION_INSIDE };
    let half_width = (high.ln() - low.ln()) / 2.0;
    let factor = (reach * half_width / effect).powi(2);
    let needed = (estimate.blocks as f64 * factor).ceil();
    // One more than there are at least: an interval may be unclear on its longer side only.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 0 to 100,000")]
    (needed <= MOST).then_some((needed as usize).max(estimate.blocks + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(ratio: f64, half_width: f64, blocks: usize) -> Estimate {
        Estimate {
            ratio,
            low: Some((ratio.ln() - half_width).exp()),
            high: Some((ratio.ln() + half_width).exp()),
            blocks,
        }
    }

    #[test]
    fn twice_the_width_needs_four_times_the_blocks() {
        let of = |half_width| blocks_needed(&estimate(1.05, half_width, 10), 0.01).unwrap();
        // The distance to the margin is ln 1.05 - ln 1.01 = 0.0388: 10 × (1.43 × 0.06 ÷ 0.0388)² = 48.8.
        assert_eq!(of(0.06), 49);
        assert_eq!(of(0.12), 196);
    }

    #[test]
    fn the_same_needs_both_sides() {
        // 10 × (1.65 × 0.02 ÷ ln 1.01)² = 110.0 at a ratio of 1.
        assert_eq!(blocks_needed(&estimate(1.0, 0.02, 10), 0.01), Some(110));
    }

    #[test]
    fn an_effect_as_large_as_the_margin_is_never_settled() {
        assert_eq!(blocks_needed(&estimate(1.01, 0.02, 10), 0.01), None);
        assert_eq!(blocks_needed(&estimate(1.0 / 1.01, 0.02, 10), 0.01), None);
        assert_eq!(blocks_needed(&estimate(1.0, 0.02, 10), 0.0), None);
        assert_eq!(blocks_needed(&estimate(1.0, 0.0, 10), 0.0), None);
    }

    #[test]
    fn what_is_clear_needs_no_more_and_what_has_too_few_needs_six() {
        assert_eq!(blocks_needed(&estimate(1.5, 0.01, 10), 0.01), Some(10));
        assert_eq!(blocks_needed(&estimate(1.5, 0.01, 4), 0.01), Some(6));
        assert_eq!(blocks_needed(&Estimate { ratio: 1.5, low: None, high: None, blocks: 1 }, 0.01), Some(6));
    }

    #[test]
    fn one_long_side_needs_at_least_one_more() {
        let lopsided = Estimate { ratio: 1.2, low: Some(1.009), high: Some(1.2), blocks: 10 };
        assert_eq!(blocks_needed(&lopsided, 0.01), Some(11));
    }

    #[test]
    fn odd_margins_have_a_defined_answer() {
        for margin in [f64::NAN, -2.0] {
            assert_eq!(blocks_needed(&estimate(1.5, 0.5, 10), margin), None, "{margin}");
        }
    }
}

//! Whether two ratios say the same.

use std::fmt;

use heapmark::stats::Estimate;

/// How much larger one of two effects on the same side may be: its logarithm.
///
/// A ratio of CPU times is diluted by what both contenders do besides: where the loop's own work takes as long as the
/// allocator's, it halves the effect. No program can have it larger than one without own work has it.
const DILUTION: f64 = 2.0;

/// What two ratios of the same allocators, from an original and from ours, say of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// The intervals overlap.
    Overlap,
    /// Both intervals lie on the same side of 1, and neither effect is more than twice the other.
    SameSide,
    /// Neither.
    Differs,
    /// One of them has no interval.
    Unknown,
}

/// What is said below the table.
pub(crate) const LEGEND: &str = "Agrees: the intervals of 95 % overlap. Same side: both lie on the same side of 1, and the \
                                 logarithm of one ratio is at most twice that of the other, which is as much as a loop dilutes it whose own work \
                                 takes as long as the allocator's.";

impl Agreement {
    pub(crate) fn of(one: Option<Estimate>, other: Option<Estimate>) -> Self {
        let intervals = one.zip(other).and_then(|(one, other)| Some((one, one.interval()?, other, other.interval()?)));
        let Some((one, (low, high), other, (other_low, other_high))) = intervals else { return Self::Unknown };
        if low <= other_high && other_low <= high {
            return Self::Overlap;
        }
        let above = low > 1.0 && other_low > 1.0;
        let below = high < 1.0 && other_high < 1.0;
        let (one, other) = (one.ratio.ln().abs(), other.ratio.ln().abs());
        if (above || below) && one.max(other) <= DILUTION * one.min(other) { Self::SameSide } else { Self::Differs }
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Overlap => "agrees",
            Self::SameSide => "same side",
            Self::Differs => "differs",
            Self::Unknown => "too few pairs",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreement(one: (f64, f64, f64), other: (f64, f64, f64)) -> Agreement {
        let estimate = |(low, ratio, high)| Some(Estimate { ratio, low: Some(low), high: Some(high), blocks: 10 });
        let said = Agreement::of(estimate(one), estimate(other));
        assert_eq!(said, Agreement::of(estimate(other), estimate(one)), "whichever comes first");
        said
    }

    #[test]
    fn intervals_that_overlap_agree() {
        assert_eq!(agreement((0.8, 0.9, 1.1), (1.05, 1.2, 1.3)), Agreement::Overlap);
        assert_eq!(agreement((0.8, 0.9, 1.0), (1.0, 1.2, 1.3)), Agreement::Overlap);
    }

    #[test]
    fn a_diluted_effect_is_on_the_same_side() {
        assert_eq!(agreement((0.79, 0.8, 0.81), (0.65, 0.66, 0.67)), Agreement::SameSide);
        assert_eq!(agreement((1.2, 1.21, 1.22), (1.42, 1.43, 1.44)), Agreement::SameSide);
        assert_eq!(agreement((0.79, 0.8, 0.81), (0.5, 0.51, 0.52)), Agreement::Differs);
    }

    #[test]
    fn opposite_sides_and_no_effect_beside_one_differ() {
        assert_eq!(agreement((0.9, 0.95, 0.97), (1.03, 1.04, 1.05)), Agreement::Differs);
        assert_eq!(agreement((0.98, 1.0, 1.02), (1.03, 1.04, 1.05)), Agreement::Differs);
    }

    #[test]
    fn without_an_interval_nothing_is_known() {
        let one = Estimate { ratio: 0.5, low: None, high: None, blocks: 1 };
        assert_eq!(Agreement::of(Some(one), Some(one)), Agreement::Unknown);
        assert_eq!(Agreement::of(None, None), Agreement::Unknown);
    }
}

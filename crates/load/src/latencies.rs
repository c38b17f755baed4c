//! Latencies, in nanoseconds.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use serde::Serialize;

/// An hour; what takes longer is counted as an hour, but for the longest.
const LONGEST: u64 = 3_600_000_000_000;

/// The percentages for which a summary says within what time they were answered. All of them is the longest.
pub const PERCENTAGES: [f64; 9] = [50.0, 66.0, 75.0, 80.0, 90.0, 95.0, 98.0, 99.0, 99.9];

/// How long each of many requests took, to three digits; the shortest, the longest and the mean are exact.
#[derive(Clone, Debug)]
pub struct Latencies {
    histogram: Histogram<u64>,
    min: u64,
    max: u64,
    sum: u128,
}

impl Latencies {
    /// None yet.
    pub fn new() -> Self {
        #[expect(clippy::missing_panics_doc, reason = "it would panic always or never")]
        let histogram = Histogram::new_with_bounds(1, LONGEST, 3).expect("these bounds are valid ones");
        Self { histogram, min: u64::MAX, max: 0, sum: 0 }
    }

    /// One more.
    pub fn record(&mut self, ns: u64) {
        self.histogram.saturating_record(ns);
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
        self.sum += u128::from(ns);
    }

    /// All of another's.
    pub fn merge(&mut self, other: &Self) {
        // It fails only between histograms of different bounds.
        let merged = self.histogram.add(&other.histogram);
        debug_assert!(merged.is_ok(), "{merged:?}");
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.histogram.reset();
        (self.min, self.max, self.sum) = (u64::MAX, 0, 0);
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// What they are together; nothing where there are none.
    pub fn summary(&self) -> Option<Summary> {
        if self.histogram.is_empty() {
            return None;
        }
        // A hair less: of 1,000 requests 99.9 % are 999, and the product with the nearest fraction rounds to more than that.
        let fractions = PERCENTAGES.map(|percent| (percent / 100.0).next_down());
        let within = self.histogram.value_at_quantiles(fractions);
        // A histogram answers with the upper end of a bin.
        let shares = PERCENTAGES.into_iter().zip(within).map(|(percent, ns)| Share { percent, ns: ns.min(self.max) });
        Some(Summary {
            min_ns: self.min,
            mean_ns: u64::try_from(self.sum / u128::from(self.count())).unwrap_or(u64::MAX),
            sd_ns: whole(self.histogram.stdev()),
            max_ns: self.max,
            within: shares.collect(),
        })
    }

    /// All of them as an `HdrHistogram`, in its V2 encoding, compressed, in base64.
    pub fn encoded(&self) -> String {
        let mut bytes = Vec::new();
        // It fails where a histogram is larger than 2 GiB, or memory refuses a write.
        let written = V2DeflateSerializer::new().serialize(&self.histogram, &mut bytes);
        debug_assert!(written.is_ok(), "{written:?}");
        STANDARD.encode(bytes)
    }
}

/// The nearest whole number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and a deviation is not negative"
)]
fn whole(number: f64) -> u64 {
    number.round() as u64
}

impl Default for Latencies {
    fn default() -> Self {
        Self::new()
    }
}

/// Latencies in a few numbers, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The shortest.
    pub min_ns: u64,
    /// The mean.
    pub mean_ns: u64,
    /// The standard deviation.
    pub sd_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// Within what time each of [`PERCENTAGES`] was answered.
    pub within: Vec<Share>,
}

impl Summary {
    /// Within what time half of them were answered.
    pub fn median_ns(&self) -> u64 {
        self.within.first().map_or(0, |half| half.ns)
    }
}

/// Within what time a share of the requests was answered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// The share.
    pub percent: f64,
    /// The time.
    pub ns: u64,
}

#[cfg(test)]
mod tests {
    use hdrhistogram::serialization::Deserializer;
    use proptest::prelude::*;

    use super::*;

    fn of(all: impl IntoIterator<Item = u64>) -> Latencies {
        let mut latencies = Latencies::new();
        all.into_iter().for_each(|ns| latencies.record(ns));
        latencies
    }

    #[test]
    fn a_thousand_in_a_row_are_summed_up() {
        let summary = of((1..=1000).map(|ms| ms * 1_000_000)).summary().unwrap();
        assert_eq!((summary.min_ns, summary.max_ns), (1_000_000, 1_000_000_000));
        assert_eq!(summary.mean_ns, 500_500_000);
        // Of 1 to n it is the root of (n² − 1) / 12.
        assert!((summary.sd_ns as f64 / 288_674_990.0 - 1.0).abs() < 1e-3, "{summary:?}");
        for share in &summary.within {
            let exact = share.percent * 1e7;
            assert!((share.ns as f64 / exact - 1.0).abs() < 1e-3, "{share:?}");
        }
        assert_eq!(summary.median_ns(), summary.within[0].ns);
    }

    #[test]
    fn none_have_no_summary_and_are_none_again_after_they_were_forgotten() {
        assert_eq!(Latencies::new().summary(), None);
        let mut latencies = of([5, 7]);
        latencies.clear();
        assert_eq!(latencies.summary(), None);
        latencies.record(6);
        assert_eq!(latencies.summary(), of([6]).summary());
    }

    #[test]
    fn the_longest_is_exact_even_beyond_an_hour() {
        let summary = of([1, LONGEST * 3 + 1]).summary().unwrap();
        assert_eq!(summary.max_ns, LONGEST * 3 + 1);
        assert!(summary.within.iter().all(|share| share.ns <= summary.max_ns));
    }

    proptest! {
        #[test]
        fn parts_are_together_what_the_whole_is(all in prop::collection::vec(0..10_000_000_000_u64, 1..200), cut in any::<prop::sample::Index>()) {
            let cut = cut.index(all.len());
            let mut parts = of(all[..cut].iter().copied());
            parts.merge(&of(all[cut..].iter().copied()));
            let whole = of(all.iter().copied());
            prop_assert_eq!(parts.summary(), whole.summary());
            prop_assert_eq!(parts.encoded(), whole.encoded());
        }

        #[test]
        fn what_is_encoded_can_be_read_by_whoever_reads_histograms(all in prop::collection::vec(0..LONGEST, 0..200)) {
            let latencies = of(all.iter().copied());
            let bytes = STANDARD.decode(latencies.encoded()).unwrap();
            let read: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
            prop_assert_eq!(read, latencies.histogram);
        }
    }
}

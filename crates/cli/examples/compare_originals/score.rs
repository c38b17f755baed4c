//! CPU times for a unit of work, and their ratios.

use heapmark::stats::{Estimate, estimate, median};

/// Nanoseconds of CPU time for a unit: for each allocator, the C library's malloc first, one figure for each pair.
#[derive(Debug, PartialEq)]
pub(crate) struct Scores(Vec<Vec<f64>>);

impl Scores {
    /// None yet, of so many allocators.
    pub(crate) fn of(allocators: usize) -> Self {
        Self(vec![Vec::new(); allocators])
    }

    /// The next pair's figure of one of them.
    pub(crate) fn push(&mut self, allocator: usize, nanoseconds: f64) {
        self.0[allocator].push(nanoseconds);
    }

    /// The median of one of them.
    pub(crate) fn median(&self, allocator: usize) -> Option<f64> {
        median(&self.0[allocator])
    }

    /// One of them against the first: as for verdicts, the Hodges–Lehmann estimate of the pairs' log-ratios, and its
    /// signed-rank interval.
    pub(crate) fn against(&self, allocator: usize) -> Option<Estimate> {
        let pairs = self.0[allocator].iter().zip(&self.0[0]);
        estimate(&pairs.map(|(ours, theirs)| (ours / theirs).ln()).collect::<Vec<_>>())
    }
}

/// `1.234 [1.200, 1.300]`
pub(crate) fn ratio(estimate: Option<Estimate>) -> String {
    let Some(estimate) = estimate else { return "n/a".into() };
    match estimate.interval() {
        Some((low, high)) => format!("{:.3} [{low:.3}, {high:.3}]", estimate.ratio),
        None => format!("{:.3}", estimate.ratio),
    }
}

/// A time in the unit that suits it.
pub(crate) fn time(nanoseconds: Option<f64>) -> String {
    match nanoseconds {
        None => "n/a".into(),
        Some(time) if time < 1e3 => format!("{time:.1} ns"),
        Some(time) if time < 1e6 => format!("{:.1} µs", time / 1e3),
        Some(time) => format!("{:.1} ms", time / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_compared_with_the_first() {
        let mut scores = Scores::of(2);
        for pair in 1..=8 {
            // What is common to a pair does not count.
            let slow_minute = f64::from(pair);
            scores.push(0, 100.0 * slow_minute);
            scores.push(1, 50.0 * slow_minute);
        }
        assert_eq!(ratio(scores.against(1)), "0.500 [0.500, 0.500]");
        assert_eq!(time(scores.median(0)), "450.0 ns");
    }

    #[test]
    fn what_is_missing_is_not_a_number() {
        let mut scores = Scores::of(2);
        assert_eq!((ratio(scores.against(1)), time(scores.median(1))), ("n/a".into(), "n/a".into()));
        scores.push(0, 2e6);
        scores.push(1, 1e6);
        assert_eq!(ratio(scores.against(1)), "0.500", "one pair has no interval");
        assert_eq!((time(scores.median(0)), time(Some(1500.0))), ("2.0 ms".into(), "1.5 µs".into()));
    }
}

//! What one thread counts while it makes a load.

use crate::body::Digest;
use crate::clock::NANOS;
use crate::failure::Failures;
use crate::latencies::Latencies;

/// Counts and latencies.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) requests: u64,
    pub(crate) bytes: u64,
    pub(crate) body_bytes: u64,
    pub(crate) checksum: u64,
    pub(crate) opened: u64,
    pub(crate) failures: Failures,
    pub(crate) latencies: Latencies,
    /// Requests answered as expected in each second.
    pub(crate) each_second: Vec<u64>,
}

impl Tally {
    /// A request was answered as expected.
    pub(crate) fn answered(&mut self, due: u64, now: u64, start: u64, body: Digest) {
        self.requests += 1;
        self.body_bytes += body.length;
        self.checksum = self.checksum.wrapping_add(u64::from(body.checksum));
        self.latencies.record(now.saturating_sub(due));
        let second = usize::try_from(now.saturating_sub(start) / NANOS).unwrap_or(usize::MAX);
        if second >= self.each_second.len() {
            self.each_second.resize(second + 1, 0);
        }
        self.each_second[second] += 1;
    }

    /// What another thread counted.
    pub(crate) fn merge(&mut self, other: Self) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.body_bytes += other.body_bytes;
        self.checksum = self.checksum.wrapping_add(other.checksum);
        self.opened += other.opened;
        self.failures.merge(other.failures);
        self.latencies.merge(&other.latencies);
        let seconds = self.each_second.len().max(other.each_second.len());
        self.each_second.resize(seconds, 0);
        for (mine, theirs) in self.each_second.iter_mut().zip(other.each_second) {
            *mine += theirs;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_add_up_second_by_second() {
        let (mut one, mut other) = (Tally::default(), Tally::default());
        let body = Digest { length: 3, checksum: u32::MAX };
        one.answered(90, 100, 100, body);
        other.answered(100 + 2 * NANOS, 107 + 2 * NANOS, 100, body);
        other.answered(100, 99 + NANOS, 100, body);
        one.merge(other);
        assert_eq!(one.each_second, [2, 0, 1]);
        assert_eq!((one.requests, one.body_bytes, one.checksum), (3, 9, 3 * u64::from(u32::MAX)));
        let summary = one.latencies.summary().unwrap();
        assert_eq!((summary.min_ns, summary.max_ns), (7, NANOS - 1));
    }
}

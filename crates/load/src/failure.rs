//! The ways in which a request fails, and how many did.

use std::fmt;

/// How a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It found no connection: refused, or no port or descriptor left.
    Connect,
    /// Its connection broke.
    Reset,
    /// It was not answered in time.
    Timeout,
    /// It was answered by a status other than 2xx.
    Status,
    /// The response had another body than expected.
    Body,
    /// The connection was closed before the whole response was there.
    Truncated,
    /// It was answered by something other than HTTP/1.x.
    Protocol,
}

impl Failure {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Connect, Self::Reset, Self::Timeout, Self::Status, Self::Body, Self::Truncated, Self::Protocol];

    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Reset => "reset",
            Self::Timeout => "timeout",
            Self::Status => "status",
            Self::Body => "body",
            Self::Truncated => "truncated",
            Self::Protocol => "protocol",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How many requests failed, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    counts: [u64; Failure::ALL.len()],
    first: Option<String>,
}

impl Failures {
    /// One more; `detail` is asked only of the first.
    pub(crate) fn add(&mut self, failure: Failure, detail: impl FnOnce() -> String) {
        self.counts[failure as usize] += 1;
        self.first.get_or_insert_with(|| format!("{failure}: {}", detail()));
    }

    /// So many of one kind.
    pub fn count(&self, failure: Failure) -> u64 {
        self.counts[failure as usize]
    }

    /// So many in all.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// What the first one was.
    pub fn first(&self) -> Option<&str> {
        self.first.as_deref()
    }

    /// Those of another thread too.
    pub(crate) fn merge(&mut self, other: Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts) {
            *mine += theirs;
        }
        self.first = self.first.take().or(other.first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_own_count_and_the_first_is_told() {
        let mut failures = Failures::default();
        for (times, failure) in Failure::ALL.into_iter().enumerate() {
            assert_eq!(Failure::ALL[failure as usize], failure);
            for _ in 0..times {
                failures.add(failure, || format!("number {times}"));
            }
        }
        for (times, failure) in Failure::ALL.into_iter().enumerate() {
            assert_eq!(failures.count(failure), times as u64, "{failure}");
        }
        assert_eq!(failures.first(), Some("reset: number 1"));
        let mut all = Failures::default();
        all.merge(failures.clone());
        all.merge(failures.clone());
        assert_eq!((all.total(), all.first()), (2 * failures.total(), failures.first()));
    }
}

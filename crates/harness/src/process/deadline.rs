//! A limit that has begun to run.

use std::time::{Duration, Instant};

/// The end of a limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    /// How long was allowed.
    pub(crate) limit: Duration,
    /// When it ends; never, if that is later than the clock can tell.
    end: Option<Instant>,
}

impl Deadline {
    /// So long from now.
    pub(crate) fn after(limit: Duration) -> Self {
        Self { limit, end: Instant::now().checked_add(limit) }
    }

    /// What is left of it; nothing once it has passed.
    pub(crate) fn left(&self) -> Option<Duration> {
        let Some(end) = self.end else { return Some(self.limit) };
        end.checked_duration_since(Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_passes() {
        assert_eq!(Deadline::after(Duration::ZERO).left().unwrap_or_default(), Duration::ZERO);
        assert!(Deadline::after(Duration::from_hours(1)).left().is_some_and(|left| left > Duration::from_mins(59)));
    }

    #[test]
    fn a_limit_beyond_the_clock_never_ends() {
        assert_eq!(Deadline::after(Duration::MAX).left(), Some(Duration::MAX));
    }
}

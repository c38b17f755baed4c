//! An answer of several lines: all of them within one limit, and not without end.

use std::time::Duration;

use super::child::Child;
use super::deadline::Deadline;
use crate::Status;

/// The most lines of one answer: far above any catalogue, and little enough to keep.
const MOST_LINES: usize = 10_000;

/// An answer being read.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    child: &'a mut Child,
    deadline: Deadline,
    step: &'static str,
    lines: usize,
}

impl<'a> Answer<'a> {
    /// The answer that `child` now begins to give; `step` says what it is doing, for the status.
    pub(crate) fn of(child: &'a mut Child, limit: Duration, step: &'static str) -> Self {
        Self { child, deadline: Deadline::after(limit), step, lines: 0 }
    }

    /// Waits for the next line of it.
    pub(crate) fn line(&mut self) -> Result<Vec<u8>, Status> {
        self.lines += 1;
        if self.lines > MOST_LINES {
            let detail = format!("{}: an answer of more than {MOST_LINES} lines", self.step);
            return Err(Status::ProtocolError { detail });
        }
        self.child.next_line(self.deadline, self.step)
    }
}

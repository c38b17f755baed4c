//! What can keep a run from happening at all. What happens to a single worker is not an error but a [`Status`](crate::Status).

use std::io;
use std::path::PathBuf;

use crate::ShownPath;

/// Why something could not be done; its text says what was tried, on what, and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request makes no sense, whatever the machine does: an unknown name, a value out of range.
    #[error("{0}")]
    Usage(String),
    /// The selection leaves nothing to do.
    #[error("{0}")]
    NothingSelected(String),
    /// Cargo could not be run, or did not answer as it should.
    #[error("{0}")]
    Build(String),
    /// A file could not be read or written.
    #[error("{action} {}: {source}", ShownPath(path))]
    File {
        /// What was tried, such as `cannot write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A record cannot be used.
    #[error("{}: {reason}", ShownPath(path))]
    Record {
        /// The record.
        path: PathBuf,
        /// What is wrong with it, and where.
        reason: String,
    },
    /// It was asked to end before it had come to anything that could be kept.
    #[error("interrupted before anything was measured")]
    Interrupted,
    /// No worker that could be measured is left.
    #[error("{0}")]
    NoWorker(String),
}

impl Error {
    pub(crate) fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}

//! Exit codes, in one place.

use std::process::ExitCode;

use heapmark::Error;

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// All that was asked for was done.
    Pass = 0,
    /// Something failed: a worker, a build, a file.
    Failure = 1,
    /// The request makes no sense. The code that clap uses too.
    Usage = 2,
    /// The selection leaves nothing to do.
    NothingSelected = 4,
}

impl Exit {
    /// The code for an error.
    pub(crate) fn of(error: &Error) -> Self {
        match error {
            Error::Usage(_) => Self::Usage,
            Error::NothingSelected(_) => Self::NothingSelected,
            _ => Self::Failure,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

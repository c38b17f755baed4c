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
    /// A contender has become worse, and a second look confirms it.
    Regression = 3,
    /// The selection leaves nothing to do.
    NothingSelected = 4,
    /// With `--strict`: what was measured does not decide, or is not to be trusted.
    Inconclusive = 5,
}

impl Exit {
    pub(crate) const ALL: [Self; 6] =
        [Self::Pass, Self::Failure, Self::Usage, Self::Regression, Self::NothingSelected, Self::Inconclusive];

    /// What it means, for the help and the manual.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Pass => "all is well",
            Self::Failure => "something failed: a worker, a build, a file",
            Self::Usage => "the request makes no sense",
            Self::Regression => "a regression was found and confirmed",
            Self::NothingSelected => "the selection leaves nothing to do",
            Self::Inconclusive => "with --strict: unclear, or not to be trusted",
        }
    }

    /// The code for an error.
    pub(crate) fn of(error: &Error) -> Self {
        match error {
            Error::Usage(_) => Self::Usage,
            Error::NothingSelected(_) => Self::NothingSelected,
            _ => Self::Failure,
        }
    }

    /// All codes, a line for each.
    pub(crate) fn table() -> String {
        let lines = Self::ALL.map(|exit| format!("  {}  {}", exit as u8, exit.meaning()));
        format!("Exit codes:\n{}", lines.join("\n"))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_do_not_change() {
        assert_eq!(Exit::ALL.map(|exit| exit as u8), [0, 1, 2, 3, 4, 5]);
        let table = Exit::table();
        assert_eq!(table.lines().count(), 7, "{table}");
        assert!(table.contains("  5  with --strict"), "{table}");
    }

    #[test]
    fn errors_have_the_code_that_says_whose_fault_it_is() {
        assert_eq!(Exit::of(&Error::Usage(String::new())), Exit::Usage);
        assert_eq!(Exit::of(&Error::NothingSelected(String::new())), Exit::NothingSelected);
        assert_eq!(Exit::of(&Error::Build(String::new())), Exit::Failure);
    }
}

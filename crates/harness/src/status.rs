//! How a sample ended. A failure is a result: it is recorded and shown, and the other contenders still run.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a sample ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Status {
    /// It was measured.
    Ok,
    /// There is no program: it could not be built or found.
    NotBuilt {
        /// Why.
        detail: String,
    },
    /// The program could not be started, or ended before it had introduced itself.
    FailedToStart {
        /// What happened.
        detail: String,
    },
    /// It does not speak the protocol, or an unknown version of it.
    ProtocolError {
        /// What was received.
        detail: String,
    },
    /// It cannot prove that its allocator serves, so it was not measured.
    NoProof {
        /// What was seen.
        detail: String,
    },
    /// It is a debug build, so it was not measured.
    DebugBuild {
        /// How it was built.
        detail: String,
    },
    /// A knob is not known to the backend, or did not take.
    Knob {
        /// Which, and what came back.
        detail: String,
    },
    /// It was asked for what it cannot do, such as a workload that it does not have.
    Refused {
        /// Its reason.
        detail: String,
    },
    /// A signal ended it.
    Signal {
        /// The signal's number.
        signal: i32,
        /// In which step, and the end of its standard error.
        detail: String,
    },
    /// It exited in the middle of a sample.
    Exited {
        /// The exit code.
        code: i32,
        /// In which step, and the end of its standard error.
        detail: String,
    },
    /// It took longer than allowed, and was killed.
    Timeout {
        /// In which step, and how long was allowed.
        detail: String,
    },
    /// The kernel killed it for want of memory.
    OutOfMemory {
        /// In which step.
        detail: String,
    },
    /// It needed more memory than the run allows, and was killed.
    CeilingHit {
        /// In which step, how much it had, and what was allowed.
        detail: String,
    },
    /// It did other work than the reference: the count of units or the checksum differs.
    WrongResult {
        /// Both results.
        detail: String,
    },
}

impl Status {
    /// Whether the sample counts.
    pub fn is_ok(&self) -> bool {
        matches!(self, Self::Ok)
    }

    /// The status in a few words, for a table.
    pub fn label(&self) -> String {
        match self {
            Self::Ok => "ok".into(),
            Self::NotBuilt { .. } => "not built".into(),
            Self::FailedToStart { .. } => "failed to start".into(),
            Self::ProtocolError { .. } => "protocol error".into(),
            Self::NoProof { .. } => "no proof".into(),
            Self::DebugBuild { .. } => "debug build".into(),
            Self::Knob { .. } => "knob did not take".into(),
            Self::Refused { .. } => "refused".into(),
            Self::Signal { signal, .. } => format!("killed by {}", signal_name(*signal)),
            Self::Exited { code, .. } => format!("exited with {code}"),
            Self::Timeout { .. } => "timed out".into(),
            Self::OutOfMemory { .. } => "out of memory".into(),
            Self::CeilingHit { .. } => "ceiling hit".into(),
            Self::WrongResult { .. } => "wrong result".into(),
        }
    }

    /// What exactly happened; empty if all is well.
    pub fn detail(&self) -> &str {
        match self {
            Self::Ok => "",
            Self::NotBuilt { detail }
            | Self::FailedToStart { detail }
            | Self::ProtocolError { detail }
            | Self::NoProof { detail }
            | Self::DebugBuild { detail }
            | Self::Knob { detail }
            | Self::Refused { detail }
            | Self::Signal { detail, .. }
            | Self::Exited { detail, .. }
            | Self::Timeout { detail }
            | Self::OutOfMemory { detail }
            | Self::CeilingHit { detail }
            | Self::WrongResult { detail } => detail,
        }
    }

    /// The same with more at the end of its detail, where it says that a worker ended in the middle of its work.
    pub(crate) fn with_progress(mut self, progress: &str) -> Self {
        if let Self::Signal { detail, .. }
        | Self::Exited { detail, .. }
        | Self::Timeout { detail }
        | Self::OutOfMemory { detail }
        | Self::CeilingHit { detail } = &mut self
        {
            detail.push_str(progress);
        }
        self
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label())?;
        if self.detail().is_empty() { Ok(()) } else { write!(f, ": {}", self.detail()) }
    }
}

/// The signal's usual name, such as `SIGSEGV`.
fn signal_name(signal: i32) -> String {
    let known =
        [(4, "SIGILL"), (6, "SIGABRT"), (7, "SIGBUS"), (8, "SIGFPE"), (9, "SIGKILL"), (11, "SIGSEGV"), (15, "SIGTERM")];
    known.iter().find(|(number, _)| *number == signal).map_or(format!("signal {signal}"), |(_, name)| (*name).into())
}

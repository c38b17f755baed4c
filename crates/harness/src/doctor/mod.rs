//! What on a machine spoils measurements, and what can be done about it.
//!
//! Facts are read from the kernel's files below a root, so that a test can have a machine of its own. A fact that cannot be
//! read is said to be unknown, never assumed to be good.

mod cgroup;
mod facts;
mod observed;

use serde::{Deserialize, Serialize};

pub use facts::facts;
pub use observed::{of_the_noise, of_the_run, of_the_worker};

/// Whether a fact is in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// It is not.
    #[serde(rename = "ok")]
    Ok,
    /// It is; the advice says what can be done.
    #[serde(rename = "warn")]
    Warn,
    /// The kernel does not tell, or the machine has no such thing.
    #[serde(rename = "n/a")]
    Unknown,
}

impl Level {
    /// The word in tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Unknown => "n/a",
        }
    }
}

/// A fact about the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What it is about.
    pub fact: String,
    /// How it is.
    pub state: String,
    /// Whether that is in the way.
    pub level: Level,
    /// What it does to results and what can be done; empty where nothing has to be.
    pub advice: String,
}

impl Finding {
    fn ok(fact: &str, state: impl Into<String>) -> Self {
        Self { fact: fact.into(), state: state.into(), level: Level::Ok, advice: String::new() }
    }

    fn warn(fact: &str, state: impl Into<String>, advice: &str) -> Self {
        Self { fact: fact.into(), state: state.into(), level: Level::Warn, advice: advice.into() }
    }

    fn unknown(fact: &str, advice: &str) -> Self {
        Self { fact: fact.into(), state: "n/a".into(), level: Level::Unknown, advice: advice.into() }
    }

    /// Fine if `fine`, else a warning.
    fn judged(fact: &str, state: impl Into<String>, fine: bool, advice: &str) -> Self {
        if fine { Self::ok(fact, state) } else { Self::warn(fact, state, advice) }
    }
}

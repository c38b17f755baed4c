//! How a run is made.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Nanos;
use crate::process::Limits;

/// How the contenders of a block share the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrangement {
    /// All are alive at once and take turns, one running at a time: the way to compare time on a machine whose speed drifts.
    Turns,
    /// One after another, each undisturbed from start to end: the way to compare memory, since waiting for a turn is idle
    /// time to an allocator that purges on a clock.
    Alone,
}

/// Everything that says how a run is made; fixed before the first sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Seed of everything random: inputs, orders, stack offsets.
    pub seed: u64,
    /// Blocks of each case.
    pub blocks: u32,
    /// What each block consists of: one sample of every contender in each of these arrangements.
    pub arrangements: Vec<Arrangement>,
    /// How long a turn should take on the reference.
    pub turn: Nanos,
    /// Turns of a sample in [`Arrangement::Turns`].
    pub turns: u32,
    /// Turns of a sample in [`Arrangement::Alone`].
    pub turns_alone: u32,
    /// Untimed turns before the others.
    pub warm_turns: u32,
    /// The practical margin of verdicts: 0.01 for 1 %.
    pub margin: f64,
    /// Quiet time at the end of a sample before memory is read a last time, in milliseconds; 0 for none.
    pub settle_ms: u64,
    /// Whether the reference also runs under a second name, as a control.
    pub twin: bool,
    /// Whether debug builds may be measured. Only for tests of the harness.
    pub allow_debug: bool,
    /// How long each step may take.
    #[serde(skip)]
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 1,
            blocks: 10,
            arrangements: vec![Arrangement::Turns, Arrangement::Alone],
            turn: Duration::from_millis(10).into(),
            turns: 40,
            turns_alone: 15,
            warm_turns: 1,
            margin: 0.01,
            settle_ms: 0,
            twin: true,
            allow_debug: false,
            limits: Limits::default(),
        }
    }
}

impl Settings {
    /// The least work that still goes through every step: for tests and `--test`.
    #[must_use]
    pub fn smoke() -> Self {
        Self { blocks: 1, turn: Duration::from_micros(500).into(), turns: 2, turns_alone: 2, ..Self::default() }
    }

    /// Turns of a sample in this arrangement.
    pub fn turns_in(&self, arrangement: Arrangement) -> u32 {
        match arrangement {
            Arrangement::Turns => self.turns,
            Arrangement::Alone => self.turns_alone,
        }
    }
}

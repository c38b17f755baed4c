//! How a run is made.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::process::Limits;
use crate::{Error, Nanos};

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

    /// Whether a run can be made so. Fails with one line that says what is wrong.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |what: &str| Err(Error::Usage(what.to_owned()));
        if self.blocks == 0 {
            return wrong("no blocks: at least 1 is needed");
        }
        if self.arrangements.is_empty() {
            return wrong("no arrangement: samples are made in turns, alone, or both");
        }
        for (index, &arrangement) in self.arrangements.iter().enumerate() {
            if self.arrangements[..index].contains(&arrangement) {
                return wrong("an arrangement is given twice: a block has one sample of everyone in each");
            }
            if self.turns_in(arrangement) == 0 {
                return wrong("samples without turns: at least 1 is needed");
            }
        }
        if self.turn.0 == 0 {
            return wrong("turns of no length: at least 1 ns is needed");
        }
        // Written so that what is not a number is refused too.
        if !(0.0..1.0).contains(&self.margin) {
            return Err(Error::Usage(format!("a margin of {}: give a fraction from 0 to below 1", self.margin)));
        }
        Ok(())
    }

    /// Turns of a sample in this arrangement.
    pub fn turns_in(&self, arrangement: Arrangement) -> u32 {
        match arrangement {
            Arrangement::Turns => self.turns,
            Arrangement::Alone => self.turns_alone,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_make_no_sense_are_refused_in_one_line() {
        assert!(Settings::default().check().is_ok() && Settings::smoke().check().is_ok());
        let with = |change: fn(&mut Settings)| {
            let mut settings = Settings::default();
            change(&mut settings);
            settings.check().map_err(|error| error.to_string())
        };
        for (change, hint) in [
            ((|s| s.blocks = 0) as fn(&mut Settings), "no blocks"),
            (|s| s.arrangements.clear(), "no arrangement"),
            (|s| s.arrangements = vec![Arrangement::Alone; 2], "twice"),
            (|s| s.turns = 0, "without turns"),
            (|s| s.turns_alone = 0, "without turns"),
            (|s| s.turn = Nanos(0), "no length"),
            (|s| s.margin = f64::NAN, "a margin of NaN"),
            (|s| s.margin = f64::INFINITY, "a margin of inf"),
            (|s| s.margin = -0.01, "a margin of -0.01"),
            (|s| s.margin = 1.0, "a margin of 1"),
        ] {
            let error = with(change).unwrap_err();
            assert!(error.contains(hint) && !error.contains('\n'), "{error}");
        }
        assert_eq!(
            with(|s| {
                s.turns = 0;
                s.arrangements = vec![Arrangement::Alone];
            }),
            Ok(()),
            "turns that are not taken do not matter"
        );
    }
}

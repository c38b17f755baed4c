//! How a run is made.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::process::Limits;
use crate::schedule::TurnOrder;
use crate::stats::Stop;
use crate::{Error, Nanos};

/// How the contenders of a block share the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Settings {
    /// Seed of everything random: inputs, orders, stack offsets.
    pub seed: u64,
    /// When there is enough.
    pub stop: Stop,
    /// What each block consists of: one sample of every contender in each of these arrangements.
    pub arrangements: Vec<Arrangement>,
    /// How long a turn should take on the reference.
    pub turn: Nanos,
    /// How the orders of the turns follow each other.
    #[serde(default)]
    pub order: TurnOrder,
    /// Turns of a sample in [`Arrangement::Turns`], at least.
    pub turns: u32,
    /// Turns of a sample in [`Arrangement::Alone`].
    pub turns_alone: u32,
    /// Untimed turns before the others.
    pub warm_turns: u32,
    /// The share of a sample's time that timed turns should be: where starting and preparing take long, a sample in
    /// [`Arrangement::Turns`] has more turns for it, up to four times as many.
    pub timed_share: f64,
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
    /// Ends the run early when it is set.
    #[serde(skip)]
    pub cancel: Cancel,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 1,
            stop: Stop::Blocks(10),
            arrangements: vec![Arrangement::Turns, Arrangement::Alone],
            turn: Duration::from_millis(10).into(),
            order: TurnOrder::Mirrored,
            turns: 40,
            turns_alone: 15,
            warm_turns: 1,
            timed_share: 0.88,
            margin: 0.01,
            settle_ms: 0,
            twin: true,
            allow_debug: false,
            limits: Limits::default(),
            cancel: Cancel::default(),
        }
    }
}

impl Settings {
    /// The least work that still goes through every step: for tests and `--test`.
    #[must_use]
    pub fn smoke() -> Self {
        let turn = Duration::from_micros(500).into();
        Self { stop: Stop::Blocks(1), turn, turns: 2, turns_alone: 2, timed_share: 0.0, ..Self::default() }
    }

    /// Whether a run can be made so. Fails with one line that says what is wrong.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |what: &str| Err(Error::Usage(what.to_owned()));
        match self.stop {
            Stop::Blocks(0) => return wrong("no blocks: at least 1 is needed"),
            Stop::Budget(Nanos(0)) => return wrong("no budget: at least 1 ns is needed"),
            // Written so that what is not a number is refused too.
            Stop::Precision(width) if !(width > 0.0 && width < 1.0) => {
                return Err(Error::Usage(format!("a precision of {width}: give a fraction above 0 and below 1")));
            }
            _ => {}
        }
        if self.arrangements.is_empty() {
            return wrong("no arrangement: samples are made in turns, alone, or both");
        }
        for (index, arrangement) in self.arrangements.iter().enumerate() {
            if self.arrangements[..index].contains(arrangement) {
                return wrong("an arrangement is given twice: a block has one sample of everyone in each");
            }
        }
        if self.turns == 0 || self.turns_alone == 0 {
            return wrong("samples without turns: at least 1 is needed");
        }
        if self.turn.0 == 0 {
            return wrong("turns of no length: at least 1 ns is needed");
        }
        if !(0.0..1.0).contains(&self.margin) {
            return Err(Error::Usage(format!("a margin of {}: give a fraction from 0 to below 1", self.margin)));
        }
        Ok(())
    }

    /// The blocks of each case, where they are fixed.
    pub fn blocks(&self) -> Option<u32> {
        match self.stop {
            Stop::Blocks(blocks) => Some(blocks),
            Stop::Budget(_) | Stop::Precision(_) => None,
        }
    }

    /// Turns of a sample in [`Arrangement::Turns`] where a turn takes `turn`, and `overhead` comes with every sample.
    pub(crate) fn turns_for(&self, turn: Nanos, overhead: Nanos) -> u32 {
        let share = self.timed_share.clamp(0.0, 0.99);
        let wanted = overhead.0 as f64 * share / (1.0 - share) / turn.0.max(1) as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a range of u32")]
        let wanted = wanted.clamp(0.0, f64::from(self.turns) * 4.0).round() as u32;
        wanted.max(self.turns)
    }
}

/// A wish to end a run early, shared with whoever may have it, such as the handler of an interrupt.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Ends the run: the block that is under way is given up, its workers are killed, and what was measured is kept.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether that was wished.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// All are equal: whether a run was interrupted is not a setting of it.
impl PartialEq for Cancel {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_turns_enough_for_what_it_costs_to_start() {
        let settings = Settings { timed_share: 0.8, ..Settings::default() };
        let turn = Nanos(10_000_000);
        assert_eq!(settings.turns_for(turn, Nanos(0)), 40);
        assert_eq!(settings.turns_for(turn, Nanos(100_000_000)), 40);
        assert_eq!(
            settings.turns_for(turn, Nanos(200_000_000)),
            80,
            "0.2 s of overhead are a fifth beside 0.8 s of turns"
        );
        assert_eq!(settings.turns_for(turn, Nanos(u64::MAX)), 160);
        assert_eq!(settings.turns_for(Nanos(0), Nanos(1)), 40);
    }

    #[test]
    fn settings_that_make_no_sense_are_refused_in_one_line() {
        assert!(Settings::default().check().is_ok() && Settings::smoke().check().is_ok());
        let with = |change: fn(&mut Settings)| {
            let mut settings = Settings::default();
            change(&mut settings);
            settings.check().map_err(|error| error.to_string())
        };
        for (change, hint) in [
            ((|s| s.stop = Stop::Blocks(0)) as fn(&mut Settings), "no blocks"),
            (|s| s.stop = Stop::Budget(Nanos(0)), "no budget"),
            (|s| s.stop = Stop::Precision(f64::NAN), "a precision of NaN"),
            (|s| s.stop = Stop::Precision(0.0), "a precision of 0"),
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
    }
}

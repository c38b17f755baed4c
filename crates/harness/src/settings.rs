//! How a run is made.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use heapmark_protocol::Numbers;
use serde::{Deserialize, Serialize};

use crate::process::Limits;
use crate::schedule::TurnOrder;
use crate::stats::Stop;
use crate::{Bytes, Error, Nanos, WorkloadInfo};

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
    /// The same for a workload about memory over time, whose curve needs more of them; never fewer than the others have.
    #[serde(default = "turns_over_time")]
    pub turns_over_time: u32,
    /// Untimed turns before the others.
    pub warm_turns: u32,
    /// The share of a sample's time that timed turns should be: where starting and preparing take long, a sample in
    /// [`Arrangement::Turns`] has more turns for it, up to four times as many.
    pub timed_share: f64,
    /// The practical margin of verdicts: 0.01 for 1 %.
    pub margin: f64,
    /// After how much quiet time memory is read again at the end of an undisturbed sample, in milliseconds and ascending; at
    /// most eight moments, and none for not at all. Absent: as each workload asks for.
    #[serde(default)]
    pub settle_after_ms: Option<Vec<u64>>,
    /// Whether the reference also runs under a second name, as a control.
    pub twin: bool,
    /// Whether debug builds may be measured. Only for tests of the harness.
    pub allow_debug: bool,
    /// How much resident memory a worker may have at its peak before it is killed. Absent: as much as there is.
    #[serde(default)]
    pub memory_limit: Option<Bytes>,
    /// How long each step may take.
    #[serde(skip)]
    pub limits: Limits,
    /// Ends the run early when it is set.
    #[serde(skip)]
    pub cancel: Cancel,
}

/// Of 60 turns a quarter is left out as warm-up, and the second half of the rest is still more than 20.
fn turns_over_time() -> u32 {
    60
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
            turns_over_time: turns_over_time(),
            warm_turns: 1,
            timed_share: 0.88,
            margin: 0.01,
            settle_after_ms: None,
            twin: true,
            allow_debug: false,
            memory_limit: None,
            limits: Limits::default(),
            cancel: Cancel::default(),
        }
    }
}

impl Settings {
    /// The least work that still goes through every step: for tests and `--test`.
    #[must_use]
    pub fn smoke() -> Self {
        Self::default().with_least_work()
    }

    /// The same run, with the least work that still goes through every step.
    #[must_use]
    pub fn with_least_work(self) -> Self {
        let turn = Duration::from_micros(500).into();
        Self {
            stop: Stop::Blocks(1),
            turn,
            turns: 2,
            turns_alone: 2,
            turns_over_time: 2,
            warm_turns: 1,
            timed_share: 0.0,
            settle_after_ms: Some(Vec::new()),
            ..self
        }
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
        if self.memory_limit == Some(Bytes(0)) {
            return wrong("a memory limit of nothing: at least 1 byte is needed");
        }
        let settle = self.settle_after_ms.as_deref().unwrap_or_default();
        if settle.len() > Numbers::MOST {
            return Err(Error::Usage(format!("{} quiet times: at most {} are possible", settle.len(), Numbers::MOST)));
        }
        if settle.contains(&0) || !settle.is_sorted_by(|a, b| a < b) {
            return wrong(
                "quiet times that do not grow: each is counted from the drop, so give them in ascending order",
            );
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

    /// Turns of a sample in [`Arrangement::Alone`].
    pub(crate) fn turns_alone_of(&self, workload: &WorkloadInfo) -> u32 {
        if workload.is_over_time() { self.turns_alone.max(self.turns_over_time) } else { self.turns_alone }
    }

    /// After how much quiet time memory is read again.
    pub(crate) fn settle_of(&self, workload: &WorkloadInfo) -> Vec<u64> {
        self.settle_after_ms.clone().unwrap_or_else(|| workload.settle_ms.clone())
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
    fn a_workload_about_memory_over_time_gets_a_curve_and_its_quiet_times_unless_told_otherwise() {
        let workload = |settle_ms: &[u64]| WorkloadInfo {
            name: String::new(),
            summary: String::new(),
            unit: String::new(),
            details: String::new(),
            parameters: Vec::new(),
            settle_ms: settle_ms.to_vec(),
        };
        let (plain, curve) = (workload(&[]), workload(&[500, 5000]));
        let settings = Settings::default();
        assert_eq!((settings.turns_alone_of(&plain), settings.settle_of(&plain)), (15, vec![]));
        assert_eq!((settings.turns_alone_of(&curve), settings.settle_of(&curve)), (60, vec![500, 5000]));
        let told = Settings { settle_after_ms: Some(vec![7]), turns_alone: 90, ..Settings::default() };
        assert_eq!((told.turns_alone_of(&plain), told.settle_of(&plain)), (90, vec![7]));
        assert_eq!((told.turns_alone_of(&curve), told.settle_of(&curve)), (90, vec![7]));
        assert!(Settings::smoke().settle_of(&curve).is_empty());
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
            (|s| s.settle_after_ms = Some(vec![1, 2, 3, 4, 5, 6, 7, 8, 9]), "at most 8"),
            (|s| s.settle_after_ms = Some(vec![0]), "do not grow"),
            (|s| s.settle_after_ms = Some(vec![5, 5]), "do not grow"),
            (|s| s.memory_limit = Some(Bytes(0)), "a memory limit of nothing"),
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

//! One check of one contender, in a fresh process.

use std::time::Duration;

use heapmark_protocol::Finding;

use super::outcome::{CheckInfo, Checked, State};
use crate::introduce::Introduced;
use crate::process::{Conversation, KnownLimit, Launch, Start, Verdict};
use crate::{Contender, Settings, Status};

/// Whoever examines one contender.
pub(super) struct Examiner<'a> {
    contender: Contender,
    upstream_version: String,
    launch: Launch,
    settings: &'a Settings,
    deadline: Duration,
    limits: Vec<KnownLimit>,
    /// The checks to make.
    pub(super) checks: Vec<CheckInfo>,
}

impl<'a> Examiner<'a> {
    /// Asks the contender for its checks and its known limits.
    pub(super) fn new(
        contender: &Contender,
        who: Introduced,
        settings: &'a Settings,
        deadline: Duration,
    ) -> Result<Self, Status> {
        let mut examiner = Self {
            contender: contender.clone(),
            upstream_version: who.greeting.upstream_version,
            launch: who.launch,
            settings,
            deadline,
            limits: Vec::new(),
            checks: Vec::new(),
        };
        let mut conversation = examiner.open()?;
        // A worker from before there were checks does not know the verb.
        let no_checks = |status| match status {
            Status::Refused { detail } => Status::Refused { detail: format!("it has no checks: {detail}") },
            other => other,
        };
        (examiner.checks, examiner.limits) = conversation.checks().map_err(no_checks)?;
        conversation.quit()?;
        if contender.worker.preload.is_some() {
            // What the allocator promises or is known not to do whose place the library has taken.
            examiner.checks.retain(|check| check.name != "purge");
            examiner.limits.clear();
        }
        Ok(examiner)
    }

    pub(super) fn contender(&self) -> &str {
        &self.contender.name
    }

    pub(super) fn version(&self) -> String {
        self.upstream_version.clone()
    }

    fn open(&self) -> Result<Conversation, Status> {
        let program = self.contender.worker.program.as_deref();
        let program = program.map_err(|why| Status::NotBuilt { detail: why.clone() })?;
        Conversation::open(program, &Start::new(self.settings, 0, &self.launch))
    }

    /// Makes one check.
    pub(super) fn check(&self, check: &str) -> Checked {
        let (state, finding, detail) = match self.verdict(check) {
            Ok(Verdict { skipped: true, detail, .. }) => (State::Skipped, None, detail),
            Ok(Verdict { finding: None, detail, .. }) => (State::Pass, None, detail),
            Ok(Verdict { finding, detail, .. }) => (State::Fail, finding, detail),
            Err(status) => (State::Fail, finding_of(&status), status.to_string()),
        };
        let limits = || self.limits.iter().filter(|limit| limit.check == check);
        let (state, limit) = match state {
            State::Fail => match limits().find(|limit| Some(limit.finding) == finding) {
                Some(limit) => (State::KnownLimit, Some(limit.reason.clone())),
                None => (State::Fail, None),
            },
            State::Pass => (State::Pass, limits().next().map(|limit| limit.reason.clone())),
            other => (other, None),
        };
        Checked { check: check.to_owned(), state, finding, detail, limit, runs: 1, seen: 1 }
    }

    /// What the worker says, or what became of it. One that passed must end well, too.
    fn verdict(&self, check: &str) -> Result<Verdict, Status> {
        let mut conversation = self.open()?;
        let verdict = conversation.verify(check, self.deadline)?;
        if verdict.finding.is_none() {
            conversation.quit()?;
        }
        Ok(verdict)
    }
}

/// What it means that a worker ended so, if it means anything about its allocator.
fn finding_of(status: &Status) -> Option<Finding> {
    match status {
        Status::Signal { .. } | Status::Exited { .. } | Status::OutOfMemory { .. } => Some(Finding::Aborts),
        Status::Timeout { .. } => Some(Finding::Hangs),
        _ => None,
    }
}

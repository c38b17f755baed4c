//! What a verification says: for each contender and check, whether it passed.

use std::fmt;

use heapmark_protocol::Finding;
use serde::{Serialize, Serializer};

use crate::Status;

/// The outcome of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Soundness {
    /// The checks that were made, in the workers' order.
    pub checks: Vec<CheckInfo>,
    /// Contender by contender.
    pub contenders: Vec<Examined>,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckInfo {
    /// Its name.
    pub name: String,
    /// What it asks of an allocator, in a line.
    pub summary: String,
}

/// One contender, examined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Examined {
    /// Its name.
    pub name: String,
    /// `Ok`, or why it could not be examined.
    #[serde(flatten)]
    pub status: Status,
    /// The version of the allocator, as it says itself.
    pub version: Option<String>,
    /// What its checks came to.
    pub results: Vec<Checked>,
}

/// What one check of one contender came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// The check's name.
    pub check: String,
    /// Whether it passed.
    pub state: State,
    /// How the allocator failed, if it did and this can be said.
    #[serde(serialize_with = "word")]
    pub finding: Option<Finding>,
    /// What was found, with numbers; why it was skipped; or what there is to say besides.
    pub detail: String,
    /// Why the backend says that it is known to fail this check, and how.
    pub limit: Option<String>,
    /// How often the check was made.
    pub runs: u32,
    /// In how many of them the state was this one.
    pub seen: u32,
}

/// Whether a check passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Nothing is wrong.
    Pass,
    /// It does not apply.
    Skipped,
    /// It failed in the way that its backend says it does.
    KnownLimit,
    /// It failed.
    Fail,
}

impl State {
    /// The state in a word or two.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Skipped => "skipped",
            Self::KnownLimit => "known limit",
            Self::Fail => "FAIL",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

#[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn word<S: Serializer>(finding: &Option<Finding>, serializer: S) -> Result<S::Ok, S::Error> {
    finding.map(Finding::word).serialize(serializer)
}

impl Soundness {
    /// Everyone and everything that failed: contenders that could not be examined, and checks that were not passed.
    pub fn failures(&self) -> impl Iterator<Item = String> {
        self.contenders.iter().flat_map(|contender| {
            let status = (!contender.status.is_ok()).then(|| format!("{}: {}", contender.name, contender.status));
            let failed = contender.results.iter().filter(|result| result.state == State::Fail);
            status.into_iter().chain(failed.map(|result| format!("{}: {result}", contender.name)))
        })
    }

    /// The contender of this name.
    pub fn contender(&self, name: &str) -> Option<&Examined> {
        self.contenders.iter().find(|contender| contender.name == name)
    }

    /// Takes in the checks of one more contender: workers may be of several versions.
    pub(super) fn add_checks(&mut self, checks: &[CheckInfo]) {
        for check in checks {
            if self.checks.iter().all(|known| known.name != check.name) {
                self.checks.push(check.clone());
            }
        }
    }
}

impl Examined {
    /// What this check came to; nothing where it was not made.
    pub fn result(&self, check: &str) -> Option<&Checked> {
        self.results.iter().find(|result| result.check == check)
    }
}

impl Checked {
    /// The worse of two results of the same check, over all their runs.
    pub(super) fn and(self, other: Self) -> Self {
        let runs = self.runs + other.runs;
        let seen = if self.state == other.state { self.seen + other.seen } else { 0 };
        let worse = if other.state > self.state { other } else { self };
        Self { runs, seen: seen.max(worse.seen), ..worse }
    }

    /// Whether the backend says that this check fails, and it passed all the same.
    pub fn limit_not_seen(&self) -> bool {
        self.state == State::Pass && self.limit.is_some()
    }
}

/// The result in a line: check, state, finding, detail, and the reason of a known limit.
impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check, self.state)?;
        if self.seen < self.runs {
            write!(f, " in {} of {} runs", self.seen, self.runs)?;
        }
        if let Some(finding) = self.finding {
            write!(f, ": {}", finding.word())?;
        }
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        match &self.limit {
            Some(reason) if self.limit_not_seen() => write!(f, " (limit not seen: {reason})"),
            Some(reason) if self.state == State::KnownLimit => write!(f, " ({reason})"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(state: State, detail: &str) -> Checked {
        let finding = (state >= State::KnownLimit).then_some(Finding::Hangs);
        Checked { check: "fork".into(), state, finding, detail: detail.into(), limit: None, runs: 1, seen: 1 }
    }

    #[test]
    fn the_worst_of_several_runs_counts() {
        let all = [State::Pass, State::Fail, State::Pass, State::Fail, State::Skipped];
        let all = all.map(|state| checked(state, state.word())).into_iter().reduce(Checked::and).unwrap();
        assert_eq!((all.state, all.detail.as_str(), all.runs, all.seen), (State::Fail, "FAIL", 5, 2));
        assert_eq!(all.to_string(), "fork: FAIL in 2 of 5 runs: hangs: FAIL");
        let all = checked(State::Pass, "").and(checked(State::Pass, ""));
        assert_eq!((all.runs, all.seen, all.to_string()), (2, 2, "fork: pass".into()));
    }

    #[test]
    fn limits_are_told_with_their_reason() {
        let limit = |state| Checked { limit: Some("a lock".into()), ..checked(state, "child 3") };
        assert_eq!(limit(State::KnownLimit).to_string(), "fork: known limit: hangs: child 3 (a lock)");
        assert_eq!(limit(State::Pass).to_string(), "fork: pass: child 3 (limit not seen: a lock)");
    }

    #[test]
    fn who_cannot_be_examined_has_failed() {
        let examined = |name: &str, status, results| Examined { name: name.into(), status, version: None, results };
        let soundness = Soundness {
            checks: Vec::new(),
            contenders: vec![
                examined("old", Status::Refused { detail: "has no checks".into() }, Vec::new()),
                examined("good", Status::Ok, vec![checked(State::Pass, ""), checked(State::KnownLimit, "")]),
                examined("bad", Status::Ok, vec![checked(State::Fail, "child 3")]),
            ],
        };
        let failures: Vec<_> = soundness.failures().collect();
        assert_eq!(failures, ["old: refused: has no checks", "bad: fork: FAIL: hangs: child 3"]);
    }

    #[test]
    fn programs_get_words() {
        let value = serde_json::to_value(checked(State::KnownLimit, "x")).unwrap();
        assert_eq!((&value["state"], &value["finding"]), (&"known-limit".into(), &"hangs".into()));
        let value = serde_json::to_value(checked(State::Pass, "")).unwrap();
        assert_eq!((&value["state"], &value["finding"]), (&"pass".into(), &serde_json::Value::Null));
    }
}

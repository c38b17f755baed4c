//! Records beside each other: what must be the same in both for their rows to stand in one table, or for one to have its time
//! from the one and its memory from the other, since each is best measured in a way of its own.

use std::collections::BTreeMap;

use crate::outcome::{Metric, Outcome};
use crate::record::{ContenderRow, Record};
use crate::{Case, machine};

/// Why the time of one record must not be put together with the memory of another, as one line; nothing if it may.
///
/// As for [`why_not_side_by_side`], and the same contenders must have taken part in both.
pub fn why_not_combined(a: &Record, b: &Record) -> Option<String> {
    if let Some(why) = why_not_side_by_side(a, b) {
        return Some(why);
    }
    let lacks = |record: &Record, name: &str| !record.contenders.iter().any(|row| row.name == name);
    let only_in_a = a.contenders.iter().find(|row| lacks(b, &row.name));
    let lonely = only_in_a.or_else(|| b.contenders.iter().find(|row| lacks(a, &row.name)));
    lonely.map(|row| format!("{} is not the same in both: it takes part in one only", row.name))
}

/// Why the rows of two records must not stand in one table, as one line; nothing if they may.
///
/// The revision, the machine and the reference have to be the same, and so do the builds and knobs of contenders, and the
/// size of cases, that are in both. Seeds, blocks and turns may differ: they say how precisely something was measured, not
/// what.
pub fn why_not_side_by_side(a: &Record, b: &Record) -> Option<String> {
    let (Some(run), Some(other)) = (&a.run, &b.run) else {
        return Some("a record does not say how it was made".into());
    };
    if run.tool.revision != other.tool.revision {
        let show = |revision: &Option<String>| revision.clone().unwrap_or_else(|| "unknown".into());
        return Some(format!("the revisions differ: {} and {}", show(&run.tool.revision), show(&other.tool.revision)));
    }
    if let Some((what, (ours, theirs))) = machine::differences(&run.machine, &other.machine).into_iter().next() {
        return Some(format!("the machines differ in {what}: {ours} and {theirs}"));
    }
    if run.reference != other.reference {
        return Some(format!("the references differ: {} and {}", run.reference, other.reference));
    }
    let shared = |ours: &ContenderRow| b.contenders.iter().find(|theirs| theirs.name == ours.name);
    if let Some(row) = a.contenders.iter().find(|ours| shared(ours).is_some_and(|theirs| !same(ours, theirs))) {
        return Some(format!("{} is not the same in both: its state, build or knobs differ", row.name));
    }
    a.cases.iter().find_map(|ours| {
        let theirs = b.cases.iter().find(|theirs| theirs.case == ours.case)?;
        let what = what_differs(&ours.parameters_in_force, &theirs.parameters_in_force)?;
        Some(format!("{} is not of the same size in both: {what}", ours.case))
    })
}

/// The first parameter that differs, with both values.
fn what_differs(a: &BTreeMap<String, String>, b: &BTreeMap<String, String>) -> Option<String> {
    let or_absent = |value: Option<&String>| value.cloned().unwrap_or_else(|| "n/a".into());
    a.keys().chain(b.keys()).find(|key| a.get(*key) != b.get(*key)).map(|key| {
        let (ours, theirs) = (or_absent(a.get(key)), or_absent(b.get(key)));
        format!("{key}={ours} and {key}={theirs}")
    })
}

/// The same contender in the same build with the same knobs.
fn same(a: &ContenderRow, b: &ContenderRow) -> bool {
    let described = |row: &ContenderRow| {
        let mut row = row.clone();
        // A measurement, not a description.
        if let Some(identity) = &mut row.identity {
            identity.start_rss = None;
        }
        row
    };
    described(a) == described(b)
}

impl Outcome {
    /// Takes what `other` says of peak memory, for each case in which both have the same contenders and none failed in
    /// `other`. Returns the cases for which that was so; the rest stays as it was.
    ///
    /// Whether the two may be combined at all is for [`why_not_combined`] to say.
    pub fn take_memory(&mut self, other: &Self) -> Vec<Case> {
        let mut taken = Vec::new();
        for case in &mut self.cases {
            let Some(theirs) = other.cases.iter().find(|theirs| theirs.case == case.case) else { continue };
            let complete = theirs.contenders.iter().chain(&theirs.twin).all(|contender| contender.status.is_ok());
            let names = |contenders: &[crate::ContenderOutcome]| -> Vec<String> {
                contenders.iter().map(|contender| contender.name.clone()).collect()
            };
            if !complete || names(&case.contenders) != names(&theirs.contenders) {
                continue;
            }
            case.memory_from = theirs.memory_from;
            case.distrusted.retain(|metric| *metric != Metric::PeakRss);
            case.distrusted.extend(theirs.distrusted.iter().filter(|metric| **metric == Metric::PeakRss));
            let pairs =
                case.contenders.iter_mut().zip(&theirs.contenders).chain(case.twin.as_mut().zip(theirs.twin.as_ref()));
            for (our, their) in pairs {
                our.peak_rss = their.peak_rss;
                our.memory = their.memory;
            }
            taken.push(case.case.clone());
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{BlockRow, CaseRow, IdentityRow, Kind, Role, Row, RunRow, SCHEMA, Sample, Turns};
    use crate::{Arrangement, Bytes, Settings, Status};

    const MIB: u64 = 1 << 20;

    fn contender(name: &str, role: Role) -> ContenderRow {
        ContenderRow {
            name: name.into(),
            role,
            status: Status::Ok,
            backend: name.into(),
            set: Vec::new(),
            identity: Some(IdentityRow {
                crate_name: String::new(),
                crate_version: "1".into(),
                upstream_version: String::new(),
                licence: String::new(),
                forwards: String::new(),
                kind: Kind::Allocator,
                proof: "api".into(),
                proof_detail: String::new(),
                build: "release".into(),
                features: String::new(),
                knobs: BTreeMap::new(),
                start_rss: Some(Bytes(1)),
            }),
        }
    }

    /// Twelve blocks of `system`, its twin and `other`, whose peak is a multiple of the reference's.
    fn record(arrangement: Arrangement, workloads: &[&str], times: u64) -> Record {
        let names = [("system", Role::Reference), ("twin", Role::Twin), ("other", Role::Contender)];
        let mut record = Record {
            run: Some(RunRow {
                schema: SCHEMA,
                tool: machine::Tool { revision: Some("abc".into()), ..machine::Tool::default() },
                machine: machine::Machine::default(),
                load: machine::Load::default(),
                started: 0,
                settings: Settings { arrangements: vec![arrangement], ..Settings::default() },
                reference: "system".into(),
            }),
            contenders: names.iter().map(|(name, role)| contender(name, *role)).collect(),
            ..Record::default()
        };
        for workload in workloads {
            for block in 0..12 {
                for (name, role) in names {
                    let peak = MIB * if role == Role::Contender { times } else { 1 };
                    record.push(Row::Sample(Box::new(Sample {
                        units: 10,
                        wall_ns: 1000,
                        user_ns: 900,
                        system_ns: 100,
                        peak_rss: Some(Bytes(peak)),
                        turns: Turns {
                            wall_ns: vec![1000],
                            user_ns: vec![900],
                            system_ns: vec![100],
                            idle_cpu_ns: vec![0],
                            ..Turns::default()
                        },
                        ..Sample::new(Case::new(*workload), name, role, block, arrangement)
                    })));
                }
                let (case, wall_ns, timed_ns) = (Case::new(*workload), 4000, 3000);
                record.push(Row::Block(BlockRow { case, block, arrangement, wall_ns, timed_ns }));
            }
        }
        record
    }

    #[test]
    fn memory_comes_from_the_other_record_and_time_stays() {
        let mut outcome = Outcome::of(&record(Arrangement::Turns, &["a/b", "a/c"], 2));
        let before = outcome.clone();
        let other = Outcome::of(&record(Arrangement::Alone, &["a/c", "a/d"], 3));
        assert_eq!(outcome.take_memory(&other), [Case::new("a/c")]);
        assert_eq!(outcome.cases[0], before.cases[0], "a case that the other lacks");
        let (old, new) = (&before.cases[1], &outcome.cases[1]);
        assert_eq!((old.memory_from, new.memory_from), (Some(Arrangement::Turns), Some(Arrangement::Alone)));
        assert_eq!((new.time_from, new.contenders.len()), (Some(Arrangement::Turns), 2));
        let (old, new) = (old.contender("other").unwrap(), new.contender("other").unwrap());
        assert_eq!((old.peak_rss, new.peak_rss), (Some(Bytes(2 * MIB)), Some(Bytes(3 * MIB))));
        let ratio = new.memory.unwrap().estimate.ratio;
        assert!((ratio - 3.0).abs() < 1e-9, "{ratio}");
        assert_eq!((old.throughput, old.cpu), (new.throughput, new.cpu));
    }

    #[test]
    fn whether_memory_is_to_be_trusted_comes_with_it() {
        let mut outcome = Outcome::of(&record(Arrangement::Turns, &["a/b"], 2));
        let mut other = Outcome::of(&record(Arrangement::Alone, &["a/b"], 3));
        outcome.cases[0].distrusted = vec![Metric::Cpu, Metric::PeakRss];
        assert_eq!(outcome.take_memory(&other), [Case::new("a/b")]);
        assert_eq!(outcome.cases[0].distrusted, [Metric::Cpu]);
        other.cases[0].distrusted = vec![Metric::Wall, Metric::PeakRss];
        outcome.take_memory(&other);
        assert_eq!(outcome.cases[0].distrusted, [Metric::Cpu, Metric::PeakRss]);
    }

    #[test]
    fn a_case_with_other_contenders_or_a_failure_is_left_alone() {
        let original = Outcome::of(&record(Arrangement::Turns, &["a/b"], 2));
        let mut fewer = record(Arrangement::Alone, &["a/b"], 3);
        fewer.samples.retain(|sample| sample.contender != "other");
        let mut failed = record(Arrangement::Alone, &["a/b"], 3);
        failed.samples[2].status = Status::Timeout { detail: "a test".into() };
        for other in [fewer, failed] {
            let mut outcome = original.clone();
            assert_eq!(outcome.take_memory(&Outcome::of(&other)), []);
            assert_eq!(outcome, original);
        }
    }

    #[test]
    fn others_may_take_part_but_what_is_shared_must_be_the_same() {
        let sized = |live: &str| {
            let mut record = record(Arrangement::Turns, &["a/b"], 2);
            record.push(Row::Case(Box::new(CaseRow {
                case: Case::new("a/b"),
                unit: "thing".into(),
                parameters_in_force: BTreeMap::from([("live".to_owned(), live.to_owned())]),
                lanes: 1,
                turn_units: 1,
                turn: crate::Nanos(1),
                turns: 1,
                turns_alone: None,
                over_time: false,
                settle_ms: Vec::new(),
                arrangements: vec![Arrangement::Turns],
                no_turns: None,
            })));
            record
        };
        let ours = sized("5");
        let mut more = sized("5");
        more.contenders.push(contender("fourth", Role::Contender));
        assert_eq!(why_not_side_by_side(&ours, &more), None);
        assert_eq!(why_not_side_by_side(&more, &ours), None);
        more.contenders[2].identity.as_mut().unwrap().build = "debug".into();
        assert!(why_not_side_by_side(&ours, &more).is_some_and(|why| why.starts_with("other is not the same")));
        let why = why_not_side_by_side(&ours, &sized("6")).unwrap();
        assert_eq!(why, "a/b is not of the same size in both: live=5 and live=6");
    }

    #[test]
    fn records_of_different_things_are_not_combined() {
        let ours = record(Arrangement::Turns, &["a/b"], 2);
        let mut theirs = record(Arrangement::Alone, &["a/c"], 3);
        theirs.contenders[0].identity.as_mut().unwrap().start_rss = Some(Bytes(2));
        assert_eq!(why_not_combined(&ours, &theirs), None);
        assert_eq!(why_not_combined(&theirs, &ours), None);
        let change = |change: fn(&mut Record)| {
            let mut theirs = theirs.clone();
            change(&mut theirs);
            why_not_combined(&ours, &theirs).unwrap_or_default()
        };
        for (why, hint) in [
            (change(|r| r.run.as_mut().unwrap().tool.revision = None), "abc and unknown"),
            (change(|r| r.run.as_mut().unwrap().machine.cores = Some(3)), "cores"),
            (change(|r| r.run.as_mut().unwrap().reference = "other".into()), "references"),
            (change(|r| r.contenders[2].set = vec![("knob".into(), "1".into())]), "other is not"),
            (change(|r| r.contenders[2].identity.as_mut().unwrap().build = "debug".into()), "other is not"),
            (change(|r| drop(r.contenders.pop())), "other is not"),
            (change(|r| r.contenders.push(contender("fourth", Role::Contender))), "fourth is not"),
            (change(|r| r.run = None), "how it was made"),
        ] {
            assert!(why.contains(hint), "{why:?} has no {hint:?}");
        }
    }
}

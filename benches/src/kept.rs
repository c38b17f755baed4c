//! Records that other benches have left, as far as they still hold.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use heapmark::record::Record;
use heapmark::{Case, Settings, Stop, Worker, why_not_combined};

/// The record at `path`, if what is in it was measured with these workers and in this way; else why not. It may be without an
/// end, or have more cases or fewer than are wanted: it can be gone on with.
///
/// `ours` is a record of the same workers that has not measured anything yet.
pub(crate) fn kept(path: &Path, workers: &[Worker], ours: &Record, wanted: &Settings) -> Result<Record, String> {
    if !path.exists() {
        return Err("it is not there".into());
    }
    let theirs = Record::read(path).map_err(|error| error.to_string())?;
    if !measured_with(workers, &theirs) {
        return Err("the workers have been built anew since".into());
    }
    if let Some(why) = why_not_combined(ours, &theirs) {
        return Err(why);
    }
    let settings = theirs.run.as_ref().map(|run| &run.settings);
    match settings.filter(|settings| serves(settings, wanted)) {
        Some(_) => Ok(theirs),
        None => Err("it was made with fewer blocks or other settings".into()),
    }
}

/// Whether blocks that were made so can stand for those that are wanted, and are no fewer.
fn serves(made: &Settings, wanted: &Settings) -> bool {
    let stop = Stop::Blocks(0);
    made.blocks() >= wanted.blocks() && Settings { stop, ..made.clone() } == Settings { stop, ..wanted.clone() }
}

/// Whether the programs are not younger than the record: what is in it was measured with what is there now. The revision
/// alone does not say so where there are changes of the user's own.
fn measured_with(workers: &[Worker], record: &Record) -> bool {
    let Some(run) = &record.run else { return false };
    // The record has whole seconds.
    let begun = UNIX_EPOCH + Duration::from_secs(run.started + 1);
    let mut programs = workers.iter().filter_map(|worker| worker.program.as_ref().ok());
    programs.all(|program| std::fs::metadata(program).and_then(|file| file.modified()).is_ok_and(|built| built < begun))
}

/// Those of these cases that the record does not have in full. A case in which everyone failed is done with.
pub(crate) fn missing(record: &Record, cases: &[Case]) -> Vec<Case> {
    let blocks = record.run.as_ref().and_then(|run| run.settings.blocks()).unwrap_or_default();
    let is_whole = |case: &Case| {
        let row = record.cases.iter().find(|row| row.case == *case);
        row.is_some_and(|row| {
            (0..blocks).all(|block| row.arrangements.iter().all(|made| record.is_complete(case, block, *made)))
                || record.contenders.iter().all(|contender| {
                    record.samples_of(case).any(|sample| sample.contender == contender.name && !sample.status.is_ok())
                })
        })
    };
    cases.iter().filter(|case| !is_whole(case)).cloned().collect()
}

/// What a record has of these cases, as if nothing else had been measured.
pub(crate) fn restricted(record: &Record, cases: &[Case]) -> Record {
    let mut record = record.clone();
    record.planned.retain(|case| cases.contains(case));
    record.cases.retain(|row| cases.contains(&row.case));
    record.samples.retain(|sample| cases.contains(&sample.case));
    record.blocks.retain(|row| cases.contains(&row.case));
    record.counts.retain(|row| cases.contains(&row.case));
    record
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use heapmark::machine::{Load, Machine, Tool};
    use heapmark::record::{BlockRow, CaseRow, ContenderRow, RecordFile, Role, Row, RunRow, SCHEMA, Sample};
    use heapmark::{Arrangement, Nanos, Status};

    use super::*;
    use crate::place::record_path;

    fn record(started: u64) -> Record {
        let run = RunRow {
            schema: SCHEMA,
            tool: Tool::default(),
            machine: Machine::default(),
            load: Load::default(),
            started,
            settings: Settings { stop: Stop::Blocks(2), ..Settings::default() },
            reference: "system".into(),
        };
        Record { run: Some(run), ..Record::default() }
    }

    fn contender(name: &str) -> ContenderRow {
        ContenderRow {
            name: name.into(),
            role: Role::Contender,
            status: Status::Ok,
            backend: name.into(),
            set: Vec::new(),
            identity: None,
        }
    }

    /// A record in which this case has so many blocks.
    fn measured(workload: &str, blocks: u32) -> Record {
        let (case, arrangement) = (Case::new(workload), Arrangement::Turns);
        let mut record = record(0);
        record.contenders.push(contender("system"));
        record.push(Row::Case(Box::new(CaseRow {
            case: case.clone(),
            unit: "unit".into(),
            parameters_in_force: BTreeMap::new(),
            lanes: 1,
            turn_units: 1,
            turn: Nanos(1),
            turns: 1,
            turns_alone: None,
            over_time: false,
            settle_ms: Vec::new(),
            arrangements: vec![arrangement],
            no_turns: None,
        })));
        for block in 0..blocks {
            let sample = Sample::new(case.clone(), "system", Role::Reference, block, arrangement);
            record.push(Row::Sample(Box::new(sample)));
            record.push(Row::Block(BlockRow { case: case.clone(), block, arrangement, wall_ns: 1, timed_ns: 1 }));
        }
        record
    }

    #[test]
    fn a_record_older_than_a_program_was_not_measured_with_it() {
        let program = tempfile::NamedTempFile::new().unwrap();
        let worker = Worker::at("system", program.path());
        let not_built = Worker::missing("other", "a test");
        let now = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        assert!(measured_with(&[worker.clone(), not_built.clone()], &record(now)));
        assert!(!measured_with(std::slice::from_ref(&worker), &record(now - 60)));
        assert!(!measured_with(&[Worker::at("gone", "/nowhere/at/all")], &record(now)));
        assert!(measured_with(&[not_built], &record(0)));
        assert!(!measured_with(&[worker], &Record::default()));
    }

    #[test]
    fn only_a_record_of_the_same_things_made_in_the_same_way_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = record_path(folder.path(), "peak_rss");
        let settings = |blocks: u32| Settings { stop: Stop::Blocks(blocks), ..Settings::default() };
        let kept = |ours: &Record, wanted: &Settings| kept(&path, &[], ours, wanted);
        assert_eq!(kept(&record(0), &settings(2)).unwrap_err(), "it is not there");
        let run = Row::Run(Box::new(record(0).run.unwrap()));
        RecordFile::create(&path, true).unwrap().append(&run).unwrap();
        assert!(kept(&record(0), &settings(2)).is_ok());
        assert!(kept(&record(0), &settings(1)).is_ok(), "more blocks than wanted are as good");
        for other in [settings(3), Settings { seed: 9, ..settings(2) }] {
            assert!(kept(&record(0), &other).unwrap_err().contains("fewer blocks or other settings"));
        }
        let mut ours = record(0);
        ours.run.as_mut().unwrap().tool.revision = Some("abc".into());
        assert!(kept(&ours, &settings(2)).unwrap_err().contains("revisions"));
        std::fs::write(&path, "no record").unwrap();
        assert!(kept(&record(0), &settings(2)).unwrap_err().contains("line 1"));
    }

    #[test]
    fn what_is_missing_is_what_has_not_all_its_blocks() {
        let cases = [Case::new("a/b"), Case::new("a/c")];
        assert_eq!(missing(&measured("a/d", 2), &cases), cases);
        assert_eq!(missing(&measured("a/b", 1), &cases), cases);
        let whole = measured("a/b", 2);
        assert_eq!(missing(&whole, &cases), [Case::new("a/c")]);
        assert_eq!(missing(&whole, &cases[..1]), []);
    }

    #[test]
    fn where_everyone_failed_nothing_is_missing() {
        let mut record = measured("a/b", 1);
        record.contenders.push(contender("other"));
        let case = [Case::new("a/b")];
        let fail = |record: &mut Record, name: &str| {
            let sample = Sample::new(case[0].clone(), name, Role::Contender, 1, Arrangement::Turns);
            record
                .push(Row::Sample(Box::new(Sample { status: Status::Timeout { detail: "a test".into() }, ..sample })));
        };
        fail(&mut record, "system");
        assert_eq!(missing(&record, &case), case);
        fail(&mut record, "other");
        assert_eq!(missing(&record, &case), []);
    }

    #[test]
    fn a_restricted_record_knows_nothing_of_other_cases() {
        let mut both = measured("a/b", 2);
        let other = measured("a/c", 1);
        both.planned.extend(other.planned.clone());
        both.cases.extend(other.cases.clone());
        both.samples.extend(other.samples.clone());
        both.blocks.extend(other.blocks.clone());
        assert_eq!(restricted(&both, &[Case::new("a/b")]), measured("a/b", 2));
        assert_eq!(restricted(&both, &[Case::new("a/c")]), other);
    }
}

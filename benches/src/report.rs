//! What a bench prints in the end: the table, what must be known about it, and where the rest lies.

use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use heapmark::record::Record;
use heapmark::view::{Style, notes, table};
use heapmark::{Arrangement, CaseOutcome, Outcome, Worker, why_not_combined};
use heapmark_criterion::{Metric, PeakRss, TimePerUnit};

/// Where things lie.
pub(crate) struct Place<'a> {
    /// The workspace.
    pub(crate) root: &'a Path,
    /// The folder that Cargo builds into.
    pub(crate) target: &'a Path,
}

impl Place<'_> {
    /// A path as seen from the workspace.
    fn show(&self, path: &Path) -> String {
        path.strip_prefix(self.root).unwrap_or(path).display().to_string()
    }

    /// Criterion's start page, if there is one.
    fn pages(&self) -> Option<PathBuf> {
        let home = std::env::var_os("CRITERION_HOME").map(PathBuf::from);
        let page = home.unwrap_or_else(|| self.target.join("criterion")).join("report").join("index.html");
        page.exists().then_some(page)
    }
}

/// Where the record of a bench lies.
pub(crate) fn record_path(target: &Path, bench: &str) -> PathBuf {
    target.join("heapmark").join(format!("{bench}.jsonl"))
}

/// The whole text.
pub(crate) fn report<M: Metric>(place: &Place<'_>, workers: &[Worker], ours: &Record, mut outcome: Outcome) -> String {
    let origin = if M::NAME == TimePerUnit::NAME {
        let path = record_path(place.target, PeakRss::NAME);
        let theirs = usable(&path, workers, ours);
        take_memory(&mut outcome, theirs.as_ref().map_err(String::as_str), &place.show(&path))
    } else {
        vec![how(&outcome, "throughput and time", |case| case.time_from)]
    };
    let mut lines = vec![table(&outcome, Style::Text)];
    lines.extend(notes(&outcome));
    lines.extend(origin);
    lines.push(format!("record: {}", place.show(&record_path(place.target, M::NAME))));
    lines.extend(place.pages().map(|page| format!("criterion's report: {}", place.show(&page))));
    lines.into_iter().map(|line| line + "\n").collect()
}

/// The record at `path`, if it is whole and of the same things as ours; else why not.
fn usable(path: &Path, workers: &[Worker], ours: &Record) -> Result<Record, String> {
    if !path.exists() {
        return Err("it is not there".into());
    }
    let theirs = Record::read(path).map_err(|error| error.to_string())?;
    if theirs.end.is_none() {
        return Err("it was cut short".into());
    }
    if !measured_with(workers, &theirs) {
        return Err("the workers have been built anew since".into());
    }
    why_not_combined(ours, &theirs).map_or(Ok(theirs), Err)
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

/// Takes memory from the other record as far as that is sound, and says where it is from.
fn take_memory(outcome: &mut Outcome, theirs: Result<&Record, &str>, name: &str) -> Vec<String> {
    let own = |outcome: &Outcome| how(outcome, "peak RSS", |case| case.memory_from);
    let theirs = match theirs {
        Ok(theirs) => theirs,
        Err(why) => return vec![format!("{}; not from {name}: {why}", own(outcome))],
    };
    let taken = outcome.take_memory(&Outcome::of(theirs));
    if taken.is_empty() {
        return vec![format!("{}; not from {name}: it has none of these workloads in full", own(outcome))];
    }
    let mut lines = vec![format!("peak RSS: {name}, from workers that ran undisturbed")];
    let rest = outcome.cases.iter().filter(|case| !taken.contains(&case.case));
    let rest: Vec<String> = rest.map(|case| case.case.to_string()).collect();
    if !rest.is_empty() {
        lines.push(format!("peak RSS of {}: from the turns, not in full in {name}", rest.join(", ")));
    }
    lines
}

/// How the samples were made that a column is from.
fn how(outcome: &Outcome, column: &str, from: impl Fn(&CaseOutcome) -> Option<Arrangement>) -> String {
    let made = |arrangement| outcome.cases.iter().any(|case| from(case) == Some(arrangement));
    let how = match (made(Arrangement::Turns), made(Arrangement::Alone)) {
        (true, true) => "workers that took turns, or ran one after another where they did not fit into memory",
        (true, false) => "workers that took turns",
        (false, true) => "workers that ran one after another",
        (false, false) => "nothing",
    };
    format!("{column}: from {how}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use heapmark::machine::{Load, Machine, Tool};
    use heapmark::record::{CaseRow, EndRow, RecordFile, Row, RunRow, SCHEMA};
    use heapmark::{Case, Nanos, Settings};

    use super::*;

    fn record(started: u64) -> Record {
        let run = RunRow {
            schema: SCHEMA,
            tool: Tool::default(),
            machine: Machine::default(),
            load: Load::default(),
            started,
            settings: Settings::default(),
            reference: "system".into(),
        };
        Record { run: Some(run), ..Record::default() }
    }

    fn outcome(workloads: &[&str]) -> Outcome {
        let cases = workloads.iter().map(|workload| CaseOutcome {
            time_from: Some(Arrangement::Turns),
            memory_from: Some(Arrangement::Turns),
            ..CaseOutcome::of(&Record::default(), &Case::new(*workload))
        });
        Outcome { reference: "system".into(), margin: 0.01, cases: cases.collect() }
    }

    #[test]
    fn a_record_older_than_a_program_was_not_measured_with_it() {
        let program = tempfile::NamedTempFile::new().unwrap();
        let worker = Worker::at("system", program.path());
        let not_built = Worker { name: "other".into(), program: Err("a test".into()) };
        let now = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        assert!(measured_with(&[worker.clone(), not_built.clone()], &record(now)));
        assert!(!measured_with(std::slice::from_ref(&worker), &record(now - 60)));
        assert!(!measured_with(&[Worker::at("gone", "/nowhere/at/all")], &record(now)));
        assert!(measured_with(&[not_built], &record(0)));
        assert!(!measured_with(&[worker], &Record::default()));
    }

    #[test]
    fn only_a_whole_record_of_the_same_things_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = record_path(folder.path(), "peak_rss");
        assert_eq!(usable(&path, &[], &record(0)).unwrap_err(), "it is not there");
        let write = |rows: &[Row]| {
            let mut file = RecordFile::create(&path, true).unwrap();
            for row in rows {
                file.append(row).unwrap();
            }
        };
        let run = Row::Run(Box::new(record(0).run.unwrap()));
        let end = Row::End(EndRow { load: Load::default() });
        write(std::slice::from_ref(&run));
        assert_eq!(usable(&path, &[], &record(0)).unwrap_err(), "it was cut short");
        write(&[run, end]);
        assert!(usable(&path, &[], &record(0)).is_ok());
        let mut ours = record(0);
        ours.run.as_mut().unwrap().tool.revision = Some("abc".into());
        assert!(usable(&path, &[], &ours).unwrap_err().contains("revisions"));
        std::fs::write(&path, "no record").unwrap();
        assert!(usable(&path, &[], &record(0)).unwrap_err().contains("line 1"));
    }

    #[test]
    fn where_a_column_is_from_is_said() {
        let mut two = outcome(&["a/b", "a/c"]);
        let lines = take_memory(&mut two, Err("a test"), "peak_rss.jsonl");
        assert_eq!(lines, ["peak RSS: from workers that took turns; not from peak_rss.jsonl: a test"]);
        let lines = take_memory(&mut two, Ok(&record(0)), "peak_rss.jsonl");
        assert_eq!(lines.len(), 1);
        assert!(lines[0].contains("none of these"), "{lines:?}");
        let mut theirs = record(0);
        theirs.cases.push(CaseRow {
            case: Case::new("a/b"),
            unit: "unit".into(),
            parameters_in_force: BTreeMap::new(),
            lanes: 1,
            turn_units: 1,
            turn: Nanos(1),
            turns: 1,
            arrangements: vec![Arrangement::Alone],
            no_turns: None,
        });
        let lines = take_memory(&mut two, Ok(&theirs), "peak_rss.jsonl");
        assert_eq!(lines[0], "peak RSS: peak_rss.jsonl, from workers that ran undisturbed");
        assert_eq!(lines[1..], ["peak RSS of a/c: from the turns, not in full in peak_rss.jsonl"]);
        assert_eq!(how(&two, "x", |case| case.time_from), "x: from workers that took turns");
        two.cases[0].time_from = Some(Arrangement::Alone);
        assert!(how(&two, "x", |case| case.time_from).contains(", or ran one after another"));
    }
}

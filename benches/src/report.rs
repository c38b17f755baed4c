//! What a bench prints in the end: the table, what must be known about it, and where the rest lies.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use heapmark::record::Record;
use heapmark::view::{Style, notes, table};
use heapmark::{Arrangement, Case, Error, Outcome, Worker, Workspace, why_not_combined};
use heapmark_criterion::{Metric, PeakRss, TimePerUnit};

use crate::run::record_path;

/// Everything that a report is made from, besides the outcome.
pub(crate) struct Report<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) workers: &'a [Worker],
    pub(crate) record: &'a Record,
    /// The name of the bench.
    pub(crate) bench: &'static str,
}

impl Report<'_> {
    /// The whole text.
    pub(crate) fn text(&self, outcome: &Outcome) -> Result<String, Error> {
        let mut outcome = outcome.clone();
        let origin = if self.bench == TimePerUnit::NAME {
            let source = self.memory_record()?;
            combine(&mut outcome, self.record, source)
        } else {
            vec![how(&outcome, "throughput and time", |case| case.time_from)]
        };
        let record = record_path(self.workspace, self.bench)?;
        let mut text = format!("{}\n", table(&outcome, Style::Text));
        let lines = notes(&outcome).into_iter().chain(origin).chain([format!("record: {}", self.show(&record))]);
        for line in lines.chain(self.pages()?.map(|page| format!("criterion's report: {}", self.show(&page)))) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{line}");
        }
        Ok(text)
    }

    /// The record of the peak RSS bench, if it is there and of the same programs; else why not.
    fn memory_record(&self) -> Result<Result<(String, Record), String>, Error> {
        let path = record_path(self.workspace, PeakRss::NAME)?;
        let shown = self.show(&path);
        if !path.exists() {
            return Ok(Err(format!("there is no {shown}")));
        }
        Ok(match Record::read(&path) {
            Err(error) => Err(error.to_string()),
            Ok(record) if record.end.is_none() => Err(format!("{shown} was cut short")),
            Ok(record) if !measured_with(self.workers, &record) => Err(format!("{shown} is older than the workers")),
            Ok(record) => Ok((shown, record)),
        })
    }

    /// Criterion's start page, if there is one.
    fn pages(&self) -> Result<Option<PathBuf>, Error> {
        let folder = match std::env::var_os("CRITERION_HOME") {
            Some(folder) => PathBuf::from(folder),
            None => self.workspace.target_folder()?.join("criterion"),
        };
        Ok(Some(folder.join("report").join("index.html")).filter(|page| page.exists()))
    }

    /// A path as seen from the workspace.
    fn show(&self, path: &Path) -> String {
        path.strip_prefix(self.workspace.root()).unwrap_or(path).display().to_string()
    }
}

/// Takes memory from the other record as far as that is sound, and says where it is from.
fn combine(outcome: &mut Outcome, ours: &Record, source: Result<(String, Record), String>) -> Vec<String> {
    let source = source.and_then(|(name, record)| match why_not_combined(ours, &record) {
        Some(why) => Err(format!("not from {name}: {why}")),
        None => Ok((name, record)),
    });
    match source {
        Err(why) => vec![how(outcome, "peak RSS", |case| case.memory_from), format!("({why})")],
        Ok((name, record)) => {
            let taken = outcome.take_memory(&Outcome::of(&record));
            let rest: Vec<&Case> =
                outcome.cases.iter().map(|case| &case.case).filter(|case| !taken.contains(case)).collect();
            let rest: Vec<String> = rest.into_iter().map(ToString::to_string).collect();
            let mut lines = Vec::new();
            if !taken.is_empty() {
                lines.push(format!("peak RSS: {name}, from workers that ran undisturbed"));
            }
            if !rest.is_empty() {
                lines.push(format!("peak RSS of {}: from the turns above; it is not in {name}", rest.join(", ")));
            }
            lines
        }
    }
}

/// How the samples were made that a column is from.
fn how(outcome: &Outcome, column: &str, from: impl Fn(&heapmark::CaseOutcome) -> Option<Arrangement>) -> String {
    let turns = outcome.cases.iter().any(|case| from(case) == Some(Arrangement::Turns));
    let alone = outcome.cases.iter().any(|case| from(case) == Some(Arrangement::Alone));
    let how = match (turns, alone) {
        (true, true) => "from workers that took turns, or ran one after another where they did not fit into memory",
        (true, false) => "from workers that took turns; waiting for one is time to give memory back",
        (false, true) => "from workers that ran one after another; those that take turns are steadier in time",
        (false, false) => "nothing was measured",
    };
    format!("{column}: {how}")
}

/// Whether the programs are not younger than the record: what is in it was measured with what is there now.
fn measured_with(workers: &[Worker], record: &Record) -> bool {
    let started = record.run.as_ref().map_or(UNIX_EPOCH, |run| UNIX_EPOCH + Duration::from_secs(run.started + 1));
    let mut programs = workers.iter().filter_map(|worker| worker.program.as_ref().ok());
    programs.all(|program| {
        let built = std::fs::metadata(program).and_then(|file| file.modified());
        built.is_ok_and(|built| built <= started)
    })
}

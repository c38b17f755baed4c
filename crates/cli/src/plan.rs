//! What a run needs before it can begin: settings, contenders, the record.

use std::path::{Path, PathBuf};

use heapmark::record::{Record, RecordFile, Role};
use heapmark::{Case, Comparison, Contender, ContenderName, Error, Settings, Stop, Surroundings};

use crate::run::{Preset, Run};
use crate::select;
use crate::values::quiet_moments;

/// A run set up, before anyone is asked anything.
pub(crate) struct Planned {
    pub(crate) comparison: Comparison,
    /// The cases of a run that is resumed; a fresh one selects them from the catalogue.
    pub(crate) cases: Option<Vec<Case>>,
}

/// A run from the beginning, with a record of its own.
pub(crate) fn fresh(arguments: &Run, settings: Settings, surroundings: &Surroundings) -> Result<Planned, Error> {
    let (contenders, counting) = select::contenders(arguments)?;
    let mut comparison = Comparison::new(contenders).settings(settings);
    if let Some(reference) = select::reference(arguments)? {
        comparison = comparison.reference(reference);
    }
    if let Some(counting) = counting {
        comparison = comparison.counting(counting);
    }
    if !arguments.list {
        comparison = comparison.record(record_file(arguments, surroundings)?);
    }
    Ok(Planned { comparison, cases: None })
}

/// A run that was interrupted, with its own contenders, cases and settings.
pub(crate) fn resumed(arguments: &Run, path: &Path, settings: Settings) -> Result<Planned, Error> {
    let record = Record::read_unfinished(path)?;
    let rows: Vec<_> = record.contenders.iter().filter(|row| row.role != Role::Twin).collect();
    let wanted = |name: &str| name == select::COUNTING || rows.iter().any(|row| row.backend == name);
    let workers = arguments.contenders.workers(wanted)?;
    let contender = |row: &&heapmark::record::ContenderRow| {
        let name = ContenderName { backend: row.backend.clone(), knobs: row.set.clone() };
        let missing =
            |why| Error::Usage(format!("the run cannot be resumed: {why}; give --worker or --preload NAME=PATH"));
        Ok(Contender { name: row.name.clone(), ..Contender::resolve(&name, &workers).map_err(missing)? })
    };
    let contenders = rows.iter().map(contender).collect::<Result<Vec<_>, Error>>()?;
    let cases = record.planned.clone();
    let mut comparison = Comparison::new(contenders).settings(settings).resume(record, RecordFile::append_to(path)?);
    if let Some(counting) = workers.into_iter().find(|worker| worker.name == select::COUNTING) {
        comparison = comparison.counting(counting);
    }
    Ok(Planned { comparison, cases: Some(cases) })
}

/// How the run is made, by what was asked for.
pub(crate) fn settings(arguments: &Run) -> Settings {
    let preset = match arguments.preset {
        Preset::Quick => 6,
        Preset::Default => 10,
        Preset::Thorough => 40,
    };
    let given = [
        arguments.blocks.map(Stop::Blocks),
        arguments.budget.map(|budget| Stop::Budget(budget.into())),
        arguments.precision.map(Stop::Precision),
    ];
    let stop = given.into_iter().flatten().next().unwrap_or(Stop::Blocks(preset));
    let mut settings = Settings { seed: arguments.seed, stop, margin: arguments.margin, ..Settings::default() };
    settings.memory_limit = arguments.memory_limit;
    if !arguments.settle.is_empty() {
        settings.settle_after_ms = Some(quiet_moments(&arguments.settle));
    }
    if !arguments.measure.is_empty() {
        settings.arrangements = arguments.measure.iter().map(|metric| metric.arrangement()).collect();
        settings.arrangements.dedup();
    }
    settings
}

/// The file that was asked for, which must be new; else a file in Cargo's target folder, which is replaced.
fn record_file(arguments: &Run, surroundings: &Surroundings) -> Result<RecordFile, Error> {
    if let Some(path) = &arguments.output {
        return RecordFile::create(path, false);
    }
    match surroundings.target_folder()? {
        Some(folder) => RecordFile::create(folder.join("heapmark/run.jsonl"), true),
        None => RecordFile::create(PathBuf::from("heapmark-run.jsonl"), true),
    }
}

//! `heapmark run`

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use heapmark::record::{Record, RecordFile, Role};
use heapmark::{
    Cancel, Case, Comparison, Contender, ContenderName, Error, Outcome, Session, Settings, Stop, Workspace, least_time,
    view,
};

use crate::args::{Preset, Run};
use crate::exit::Exit;
use crate::progress::Progress;
use crate::select;

/// Measures what was asked for and prints the table. A failure of a contender is a row, and makes the exit code 1.
pub(crate) fn run(arguments: &Run) -> Result<Exit, Error> {
    let workspace = Workspace::find();
    let settings = Settings { cancel: cancel_on_interrupt()?, ..settings(arguments) };
    let mut planned = match &arguments.resume {
        Some(path) => resumed(arguments, path, settings)?,
        None => fresh(arguments, settings, workspace.as_ref())?,
    };
    if let Some(workspace) = &workspace {
        planned.comparison = planned.comparison.workspace(workspace.root());
    }
    let greeting = Progress::greetings();
    let mut session = planned.comparison.open(&mut |event| greeting.event(&event))?;
    drop(greeting);
    let cases = match planned.cases {
        Some(cases) => cases,
        None => select::cases(arguments, session.catalogue())?,
    };
    if arguments.list {
        print_plan(&session, &cases);
        return Ok(Exit::Pass);
    }
    measure(&mut session, &cases)?;
    let path = session.record_path().map(Path::to_path_buf);
    let finished = session.finish();
    let record = session.record();
    let outcome = Outcome::of(record);
    print_outcome(&outcome);
    if finished.is_err() {
        say_how_to_go_on(&session);
    }
    finished?;
    if let Some(path) = &path {
        eprintln!("record: {}", path.display());
    }
    if record.end.is_none() {
        let how = path.map_or_else(String::new, |path| format!("; go on with --resume {}", path.display()));
        eprintln!("heapmark: interrupted{how}");
        return Ok(Exit::Failure);
    }
    Ok(if outcome.failures().next().is_some() { Exit::Failure } else { Exit::Pass })
}

/// A run set up, before anyone is asked anything.
struct Planned {
    comparison: Comparison,
    /// The cases of a run that is resumed; a fresh one selects them from the catalogue.
    cases: Option<Vec<Case>>,
}

/// A run from the beginning, with a record of its own.
fn fresh(arguments: &Run, settings: Settings, workspace: Option<&Workspace>) -> Result<Planned, Error> {
    let (contenders, counting) = select::contenders(arguments)?;
    let mut comparison = Comparison::new(contenders).settings(settings);
    if let Some(reference) = &arguments.reference {
        comparison = comparison.reference(reference);
    }
    if let Some(counting) = counting {
        comparison = comparison.counting(counting);
    }
    if !arguments.list {
        comparison = comparison.record(record_file(arguments, workspace)?);
    }
    Ok(Planned { comparison, cases: None })
}

/// A run that was interrupted, with its own contenders, cases and settings.
fn resumed(arguments: &Run, path: &Path, settings: Settings) -> Result<Planned, Error> {
    let record = Record::read_unfinished(path)?;
    let rows: Vec<_> = record.contenders.iter().filter(|row| row.role != Role::Twin).collect();
    let wanted = |name: &str| name == select::COUNTING || rows.iter().any(|row| row.backend == name);
    let workers = arguments.contenders.workers(wanted)?;
    let contender = |row: &&heapmark::record::ContenderRow| {
        let name = ContenderName { backend: row.backend.clone(), knobs: row.set.clone() };
        let missing = |why| Error::Usage(format!("the run cannot be resumed: {why}; give --worker NAME=PATH"));
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

fn settings(arguments: &Run) -> Settings {
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
    if !arguments.measure.is_empty() {
        settings.arrangements = arguments.measure.iter().map(|metric| metric.arrangement()).collect();
        settings.arrangements.dedup();
    }
    settings
}

/// The first interrupt ends the run in good order; what was measured is shown and kept.
fn cancel_on_interrupt() -> Result<Cancel, Error> {
    let cancel = Cancel::default();
    let wish = cancel.clone();
    let mut wished: Option<Instant> = None;
    ctrlc::set_handler(move || {
        // One wish can arrive as several signals, to the process and to its group. Who asks again later is impatient.
        if wished.is_some_and(|when| when.elapsed() > Duration::from_secs(1)) {
            std::process::exit(130);
        }
        wished = wished.or_else(|| Some(Instant::now()));
        wish.cancel();
    })
    .map_err(|error| Error::Usage(format!("cannot listen for interrupts: {error}")))?;
    Ok(cancel)
}

/// The file that was asked for, which must be new; else a file in Cargo's target folder, which is replaced.
fn record_file(arguments: &Run, workspace: Option<&Workspace>) -> Result<RecordFile, Error> {
    match (&arguments.output, workspace) {
        (Some(path), _) => RecordFile::create(path, false),
        (None, Some(workspace)) => RecordFile::create(workspace.target_folder()?.join("heapmark/run.jsonl"), true),
        (None, None) => RecordFile::create(PathBuf::from("heapmark-run.jsonl"), true),
    }
}

/// Measures everything. If the record cannot be written, what was measured is still shown.
fn measure(session: &mut Session, cases: &[Case]) -> Result<(), Error> {
    let contenders = session.record().contenders.len();
    let settings = session.settings().clone();
    let lasts = match least_time(&settings, contenders, cases.len()) {
        Some(time) => format!("at least {time}"),
        None => settings.stop.to_string(),
    };
    eprintln!("{} workloads, {contenders} workers each, {lasts}", cases.len());
    let samples =
        settings.blocks().map(|blocks| blocks as usize * cases.len() * contenders * settings.arrangements.len());
    let progress = Progress::new(samples.map(|samples| samples as u64));
    match session.measure_all(cases, &mut |event| progress.event(&event)) {
        Ok(_) => Ok(()),
        Err(error) => {
            drop(progress);
            print_outcome(&Outcome::of(session.record()));
            say_how_to_go_on(session);
            Err(error)
        }
    }
}

/// Where the record cannot be written any more, the run can go on once it can.
fn say_how_to_go_on(session: &Session) {
    if let Some(path) = session.record_path().filter(|_| !session.record().cases.is_empty()) {
        eprintln!("the record has what could be written; go on with --resume {}", path.display());
    }
}

fn print_outcome(outcome: &Outcome) {
    println!("{}\n", view::table(outcome, view::Style::Text));
    for note in view::notes(outcome) {
        println!("{note}");
    }
}

fn print_plan(session: &Session, cases: &[Case]) {
    for case in cases {
        for contender in &session.record().contenders {
            println!("{case}\t{}\t{}", contender.name, contender.status.label());
        }
    }
}

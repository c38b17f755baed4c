//! `heapmark run`

use heapmark::record::RecordFile;
use heapmark::{Case, Comparison, Error, Outcome, Session, Settings, Workspace, least_time, view};

use crate::args::Run;
use crate::exit::Exit;
use crate::progress::Progress;
use crate::select;

/// Measures what was asked for and prints the table. A failure of a contender is a row, and makes the exit code 1.
pub(crate) fn run(arguments: &Run) -> Result<Exit, Error> {
    let settings = settings(arguments);
    let workspace = Workspace::find();
    let (contenders, counting) = select::contenders(arguments)?;
    let entrants = contenders.len() + usize::from(settings.twin);
    let mut comparison = Comparison::new(contenders).settings(settings.clone());
    if let Some(reference) = &arguments.reference {
        comparison = comparison.reference(reference);
    }
    if let Some(counting) = counting {
        comparison = comparison.counting(counting);
    }
    if let Some(workspace) = &workspace {
        comparison = comparison.workspace(workspace.root());
    }
    if !arguments.list {
        comparison = comparison.record(record_file(arguments, workspace.as_ref())?);
    }
    let greeting = Progress::new(0);
    let mut session = comparison.open(&mut |event| greeting.event(&event))?;
    drop(greeting);
    let cases = select::cases(arguments, session.catalogue())?;
    if arguments.list {
        print_plan(&session, &cases);
        return Ok(Exit::Pass);
    }
    let samples = entrants * settings.arrangements.len() * settings.blocks as usize * cases.len();
    eprintln!(
        "{} workloads, {entrants} workers each, at least {}",
        cases.len(),
        least_time(&settings, entrants, cases.len())
    );
    measure(&mut session, &cases, &Progress::new(samples as u64))?;
    let path = session.record_path().map(std::path::Path::to_path_buf);
    let outcome = Outcome::of(&session.finish()?);
    print_outcome(&outcome);
    if let Some(path) = path {
        eprintln!("record: {}", path.display());
    }
    Ok(if outcome.failures().next().is_some() { Exit::Failure } else { Exit::Pass })
}

fn settings(arguments: &Run) -> Settings {
    Settings { seed: arguments.seed, blocks: arguments.blocks, margin: arguments.margin, ..Settings::default() }
}

/// The file that was asked for, which must be new; else a file in Cargo's target folder, which is replaced.
fn record_file(arguments: &Run, workspace: Option<&Workspace>) -> Result<RecordFile, Error> {
    match (&arguments.output, workspace) {
        (Some(path), _) => RecordFile::create(path, false),
        (None, Some(workspace)) => RecordFile::create(workspace.target_folder()?.join("heapmark/run.jsonl"), true),
        (None, None) => RecordFile::create("heapmark-run.jsonl", true),
    }
}

/// Measures case by case. If the record cannot be written, what was measured is still shown.
fn measure(session: &mut Session, cases: &[Case], progress: &Progress) -> Result<(), Error> {
    for case in cases {
        if let Err(error) = session.measure(case, &mut |event| progress.event(&event)) {
            print_outcome(&Outcome::of(session.record()));
            return Err(error);
        }
    }
    Ok(())
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

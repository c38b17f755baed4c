//! `heapmark doctor`

use std::path::Path;
use std::time::Duration;

use clap::{Args, ValueEnum};
use heapmark::doctor::{Finding, Level};
use heapmark::machine::Machine;
use heapmark::record::Record;
use heapmark::{
    Arrangement, Case, Catalogue, Comparison, Error, Judgement, Outcome, Quantity, Settings, Stop, Surroundings,
    Worker, doctor as examine, twin_judgements, view,
};
use serde::Serialize;

use crate::args::ContenderSelection;
use crate::exit::Exit;
use crate::print::{Output, say};
use crate::progress::Progress;
use crate::values::worker;

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// How long to measure the noise
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = humantime::parse_duration)]
    pub(crate) budget: Duration,
    /// Only look at the machine, and do not measure its noise
    #[arg(long)]
    pub(crate) no_measure: bool,
    /// Exit with 5 where there is a warning
    #[arg(long)]
    pub(crate) strict: bool,
    /// The worker to measure with, in the place of the standard `system`
    #[arg(long, value_name = "NAME=PATH", value_parser = worker)]
    pub(crate) worker: Option<Worker>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables for a terminal
    Text,
    /// For programs
    Json,
}

/// Everything that was found.
#[derive(Serialize)]
struct Examination {
    facts: Vec<Finding>,
    /// Two copies of one program against each other; empty where nothing was measured.
    noise: Vec<Judgement>,
}

/// Prints what is in the way of measurements here, what can be done about it, and how small a difference can be found.
pub(crate) fn doctor(arguments: &Doctor, output: &Output) -> Result<Exit, Error> {
    // Before anything is built or run, which would be load.
    let mut facts = examine::facts(Path::new("/"), Machine::read().cores);
    let (probed, noise, failed) = match find_worker(arguments)? {
        Some(worker) => measure(arguments, &worker)?,
        None => (examine::of_the_worker(&Record::default()), Vec::new(), false),
    };
    facts.extend(probed);
    let warned = facts.iter().any(|finding| finding.level == Level::Warn);
    match arguments.format {
        Format::Json => output.json(&Examination { facts, noise })?,
        Format::Text => {
            output.line(view::findings(&facts, output.screen()))?;
            if !noise.is_empty() {
                output.line(format_args!("\n{}", view::noise(&noise, output.screen())))?;
            }
        }
    }
    Ok(match (failed, warned && arguments.strict) {
        (true, _) => Exit::Failure,
        (false, true) => Exit::Inconclusive,
        (false, false) => Exit::Pass,
    })
}

/// The worker that can be asked, if there is one: the machine can be looked at without.
fn find_worker(arguments: &Doctor) -> Result<Option<Worker>, Error> {
    if let Some(worker) = &arguments.worker {
        return Ok(Some(worker.clone()));
    }
    let selection = ContenderSelection::default();
    // In a package with a catalogue of its own there is no other.
    let surroundings = Surroundings::find()?;
    let wanted = surroundings.reference().unwrap_or("system");
    match selection.workers(|name| name == wanted) {
        Ok(workers) => Ok(workers.into_iter().next()),
        Err(Error::NothingSelected(why)) => {
            say(format_args!("heapmark: {why}"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// What a worker can tell of the kernel, the noise if it is wanted, and whether the worker failed.
fn measure(arguments: &Doctor, worker: &Worker) -> Result<(Vec<Finding>, Vec<Judgement>, bool), Error> {
    let smoke = Settings { twin: false, arrangements: vec![Arrangement::Alone], ..Settings::smoke() };
    let mut session = match Comparison::of([worker.clone()]).settings(smoke).open(&mut |_| {}) {
        Ok(session) => session,
        Err(error) => {
            say(format_args!("heapmark: {error}"));
            return Ok((examine::of_the_worker(&Record::default()), Vec::new(), true));
        }
    };
    let cases = cases(session.catalogue());
    session.measure_all(&cases[..1], &mut |_| {})?;
    let mut findings = examine::of_the_worker(session.record());
    let mut failed = Outcome::of(session.record()).failures().next().is_some();
    if arguments.no_measure || failed {
        return Ok((findings, Vec::new(), failed));
    }
    // Half of a run's turns: blocks count for more than turns where time is short, and below six there is no interval.
    let stop = Stop::Budget(arguments.budget.into());
    let settings = Settings { stop, turns: 20, turns_alone: 8, timed_share: 0.0, ..Settings::default() };
    let mut session = Comparison::of([worker.clone()]).settings(settings).open(&mut |_| {})?;
    say(format_args!("measuring the noise for {}", humantime::format_duration(arguments.budget)));
    let progress = Progress::new(None);
    session.measure_all(&cases, &mut |event| progress.event(&event))?;
    drop(progress);
    session.finish()?;
    let outcome = Outcome::of(session.record());
    let noise = twin_judgements(&outcome, "", &[Quantity::Cpu, Quantity::Wall, Quantity::PeakRss]);
    findings.extend(examine::of_the_run(session.record()));
    findings.extend(examine::of_the_noise(&noise));
    failed = outcome.failures().next().is_some();
    Ok((findings, noise, failed))
}

/// A heap that fits into the processor's caches, and one that does not; of a worker with other workloads, its own.
fn cases(catalogue: &Catalogue) -> Vec<Case> {
    // About 40 and 4000 trees of 400 nodes of some 50 bytes.
    let trees = [40, 4000].map(|live| Case::new("graph/tree").with("live", live));
    if trees.iter().all(|case| catalogue.check(case).is_ok()) {
        return trees.into();
    }
    catalogue.default_workloads().into_iter().take(2).map(Case::new).collect()
}

#[cfg(test)]
mod tests {
    use heapmark::WorkloadInfo;

    use super::*;

    #[test]
    fn a_worker_without_trees_is_measured_with_its_own_workloads() {
        let workload = |name: &str| WorkloadInfo {
            name: name.into(),
            summary: String::new(),
            unit: String::new(),
            details: String::new(),
            parameters: Vec::new(),
            settle_ms: Vec::new(),
        };
        let workloads = ["own/a", "own/b", "own/c"].map(workload).into();
        let catalogue = Catalogue { workloads, sets: Vec::new() };
        assert_eq!(cases(&catalogue), [Case::new("own/a"), Case::new("own/b")]);
    }
}

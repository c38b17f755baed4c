//! How small a true difference is found, and what other ways of comparing would have said.
//!
//! `cargo run --release -p heapmark-cli --example power -- [RUNS] [SECONDS] [OTHERS] [RECORDS]`, by default 20 runs of 60 seconds,
//! 20 of the other ways, without records. Each run compares `system` with two handicaps of a known loss, on a small
//! `graph/handoff`, whose units are fine enough to spread the loss evenly, and whose data stay in the cache, so that an added
//! unit costs what any other does. The other ways compare the same contenders one after another: process by process, and as
//! criterion does it, the turns of one process against those of another. Where RECORDS names a folder, the record of each
//! run is kept there. It prints a line for each run, then tables in Markdown.

mod criterion_way;
mod curve;
mod sequential;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use heapmark::record::{Record, RecordFile};
use heapmark::stats::Verdict;
use heapmark::{
    Arrangement, Case, Comparison, Contender, ContenderName, Error, Outcome, Settings, Stop, Worker, Workspace,
};

/// What is compared: cheap units, so that every twentieth can be done twice within each turn.
fn case() -> Case {
    Case::new("graph/handoff").with("live", 16).with("nodes", 16)
}

/// Contenders whose loss is known, and the loss in percent.
const HANDICAPS: [(&str, &str); 2] = [("handicap@slowdown_pct:5", "5 %"), ("handicap@slowdown_pct:3", "3 %")];

fn main() -> ExitCode {
    let number = |index: usize, default: u64| {
        std::env::args().nth(index).map_or(Some(default), |text| text.parse().ok()).filter(|number| *number > 0)
    };
    let (Some(runs), Some(seconds), Some(others)) = (number(1, 20), number(2, 60), number(3, 20)) else {
        eprintln!("give whole numbers above 0: runs, seconds of each, and runs of the other ways");
        return ExitCode::from(2);
    };
    let records = std::env::args().nth(4).map(PathBuf::from);
    match repeat(runs, Duration::from_secs(seconds), others, records.as_ref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("power: {error}");
            ExitCode::FAILURE
        }
    }
}

/// How often each verdict was given.
#[derive(Clone, Default)]
struct Counts {
    slower: u32,
    faster: u32,
    same: u32,
    unclear: u32,
}

impl Counts {
    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Slower => self.slower += 1,
            Verdict::Faster => self.faster += 1,
            Verdict::Same => self.same += 1,
            _ => self.unclear += 1,
        }
    }

    fn cells(&self) -> String {
        format!("{} | {} | {} | {}", self.slower, self.faster, self.same, self.unclear)
    }
}

/// What one way of comparing said of the twin and of each handicap.
struct Way {
    name: &'static str,
    counts: [Counts; 3],
}

fn repeat(runs: u64, budget: Duration, others: u64, records: Option<&PathBuf>) -> Result<(), Error> {
    let workspace = Workspace::find().ok_or_else(|| Error::Usage("there is no heapmark workspace here".into()))?;
    let workers = workspace.build(|name| ["system", "handicap"].contains(&name))?;
    let mut contenders = vec![named("system", &workers)?];
    for (name, _) in HANDICAPS {
        contenders.push(named(name, &workers)?);
    }
    let mut ways =
        ["heapmark, CPU time", "heapmark, wall time", "one process after another, wall time", "criterion, wall time"]
            .map(|name| Way { name, counts: [const { Counts { slower: 0, faster: 0, same: 0, unclear: 0 } }; 3] });
    let mut twins = curve::Twins::default();
    for run in 1..=runs {
        let record = compare(run, budget, &contenders, records)?;
        let said = twins.note(&record);
        println!("{run}: {said}");
        for (entrant, verdicts) in of_heapmark(&record).into_iter().enumerate() {
            for (way, verdict) in ways.iter_mut().zip(verdicts) {
                way.counts[entrant].add(verdict);
            }
        }
        if run > others {
            continue;
        }
        for (entrant, verdict) in sequential::verdicts(run, &case(), &contenders)?.into_iter().enumerate() {
            ways[2].counts[entrant].add(verdict);
        }
        for (entrant, verdict) in criterion_way::verdicts(run, &case(), &contenders)?.into_iter().enumerate() {
            ways[3].counts[entrant].add(verdict);
        }
    }
    print_ways(&ways);
    println!("\n{}", twins.curve());
    Ok(())
}

fn named(name: &str, workers: &[Worker]) -> Result<Contender, Error> {
    Contender::resolve(&ContenderName::parse(name)?, workers)
}

/// One run of the engine, time only.
fn compare(run: u64, budget: Duration, contenders: &[Contender], records: Option<&PathBuf>) -> Result<Record, Error> {
    let settings = Settings {
        seed: run,
        stop: Stop::Budget(budget.into()),
        arrangements: vec![Arrangement::Turns],
        ..Settings::default()
    };
    let mut comparison = Comparison::new(contenders.to_vec()).settings(settings);
    if let Some(folder) = records {
        comparison = comparison.record(RecordFile::create(folder.join(format!("power-{run:02}.jsonl")), true)?);
    }
    let mut session = comparison.open(&mut |_| {})?;
    session.measure_all(&[case()], &mut |_| {})?;
    session.finish()?;
    Ok(session.record().clone())
}

/// Verdicts by CPU and by wall time, of the twin and of each handicap.
fn of_heapmark(record: &Record) -> Vec<[Verdict; 2]> {
    let outcome = Outcome::of(record);
    let Some(case) = outcome.cases.first() else { return Vec::new() };
    let entrants = case.twin.iter().chain(HANDICAPS.iter().filter_map(|(name, _)| case.contender(name)));
    let verdict = |compared: Option<heapmark::Compared>| compared.map_or(Verdict::Unclear, |compared| compared.verdict);
    entrants.map(|entrant| [verdict(entrant.cpu), verdict(entrant.wall)]).collect()
}

fn print_ways(ways: &[Way]) {
    println!("\nRuns with each verdict; the margin is 1 %.\n");
    println!("| true difference | way | slower | faster | same | unclear |\n|---|---|--:|--:|--:|--:|");
    for (entrant, truth) in ["none", HANDICAPS[0].1, HANDICAPS[1].1].into_iter().enumerate() {
        for way in ways {
            println!("| {truth} | {} | {} |", way.name, way.counts[entrant].cells());
        }
    }
}

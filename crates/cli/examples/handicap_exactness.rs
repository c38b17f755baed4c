//! Holds comparisons against the truth: the backend `handicap`, which loses by a known amount, against itself without a loss.
//!
//! ```sh
//! cargo run --release -p heapmark-cli --example handicap_exactness -- 12 graph/tree json/parse
//! ```
//!
//! Arguments: the blocks, 10 if none are given, and the workloads, else the default set. Prints what is lost in truth and what
//! was measured, with 95 % intervals, as a table in Markdown. The losses are as exact as whole units and pages allow, so an
//! interval that is narrow enough misses the truth where that is not a whole number of them. `system` takes part as well: what it
//! differs by comes from nothing but the few bytes by which the heap of a handicap begins elsewhere.

use std::process::ExitCode;

use heapmark::{
    Case, CaseOutcome, Compared, Comparison, Contender, ContenderName, ContenderOutcome, Error, Event, Outcome,
    Workspace,
};

/// Nothing is lost.
const REFERENCE: &str = "handicap@slowdown_pct:0";

/// The others, with what is lost in truth, in per cent: time and peak RSS.
const OTHERS: [(&str, f64, f64); 6] = [
    ("system", 0.0, 0.0),
    ("handicap@slowdown_pct:2", 2.0, 0.0),
    ("handicap@slowdown_pct:5", 5.0, 0.0),
    ("handicap@slowdown_pct:20", 20.0, 0.0),
    ("handicap@rss_pct:3", 0.0, 3.0),
    ("handicap@rss_pct:10", 0.0, 10.0),
];

fn main() -> ExitCode {
    match run() {
        Ok(outcome) => {
            print(&outcome);
            if outcome.failures().next().is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<Outcome, Error> {
    let mut arguments = std::env::args().skip(1);
    let blocks = arguments.next().map_or(Ok(10), |blocks| {
        blocks.parse().map_err(|_| Error::Usage(format!("{blocks:?} is not a number of blocks")))
    })?;
    let workloads: Vec<String> = arguments.collect();
    let workspace = Workspace::find().ok_or_else(|| Error::Usage("run this in a heapmark checkout".into()))?;
    let workers = workspace.build(|name| name == "system" || name == "handicap")?;
    let names = std::iter::once(REFERENCE).chain(OTHERS.map(|(name, ..)| name));
    let contenders = names.map(|name| Contender::resolve(&ContenderName::parse(name)?, &workers));
    let contenders = contenders.collect::<Result<Vec<_>, _>>()?;
    let comparison = Comparison::new(contenders).reference(REFERENCE).blocks(blocks).workspace(workspace.root());
    let mut session = comparison.open(&mut |_| {})?;
    let workloads = if workloads.is_empty() { session.catalogue().default_workloads() } else { workloads };
    let cases: Vec<Case> = workloads.into_iter().map(Case::new).collect();
    let outcome = session.measure_all(&cases, &mut |event| {
        if let Event::Block { case, block, .. } = event {
            eprintln!("{case}: block {} of {blocks}", block + 1);
        }
    })?;
    session.finish()?;
    Ok(outcome)
}

fn print(outcome: &Outcome) {
    println!("Ratios to {} less one, in per cent; `*` marks an interval without the truth.\n", outcome.reference);
    println!("| workload | contender | true time | CPU time | wall time | true peak RSS | peak RSS |");
    println!("|---|---|---:|---:|---:|---:|---:|");
    let mut score = Score::default();
    for case in &outcome.cases {
        for (name, time, memory) in OTHERS {
            let Some(contender) = case.contender(name) else { continue };
            println!("{}", row(case, contender, time, memory, &mut score));
        }
    }
    println!("\n{} of {} intervals hold the truth.", score.held, score.intervals);
    for (case, contender, status) in outcome.failures() {
        println!("\n{contender} in {case}: {status}");
    }
}

/// How many intervals there are, and how many of them hold the truth.
#[derive(Default)]
struct Score {
    held: u32,
    intervals: u32,
}

fn row(case: &CaseOutcome, contender: &ContenderOutcome, time: f64, memory: f64, score: &mut Score) -> String {
    let name = &contender.name;
    if !contender.status.is_ok() {
        return format!("| {} | {name} | {time} | {} | | {memory} | |", case.case, contender.status.label());
    }
    let cpu = show(contender.cpu, time, score);
    let wall = show(contender.wall, time, score);
    let peak = show(contender.memory, memory, score);
    format!("| {} | {name} | {time} | {cpu} | {wall} | {memory} | {peak} |", case.case)
}

/// What was measured, in per cent.
fn show(compared: Option<Compared>, truth: f64, score: &mut Score) -> String {
    let Some(compared) = compared else { return "n/a".into() };
    let percent = |ratio: f64| (ratio - 1.0) * 100.0;
    let uneven = if compared.uneven { ", uneven" } else { "" };
    let ratio = percent(compared.estimate.ratio);
    let Some((low, high)) = compared.estimate.interval() else { return format!("{ratio:+.2}{uneven}") };
    let (low, high) = (percent(low), percent(high));
    let holds = (low..=high).contains(&truth);
    score.intervals += 1;
    score.held += u32::from(holds);
    format!("{ratio:+.2} [{low:+.2}, {high:+.2}]{}{uneven}", if holds { "" } else { " *" })
}

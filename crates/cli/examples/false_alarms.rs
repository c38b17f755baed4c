//! How often two copies of one program are called different: runs of `system` against its twin.
//!
//! `cargo run --release -p heapmark-cli --example false_alarms -- [RUNS] [SECONDS]`, by default 100 runs of 20 seconds, turn
//! and turn about over the workloads of the default set. It prints a line for each run and a summary in Markdown. Load the
//! machine with something else meanwhile; that is what the method is made for.

use std::process::ExitCode;
use std::time::Duration;

use heapmark::record::Record;
use heapmark::stats::{Direction, Verdict, judge};
use heapmark::{Case, Compared, Comparison, Error, Metric, Outcome, Settings, Stop, Workspace};

fn main() -> ExitCode {
    let number = |index: usize, default: u64| {
        std::env::args().nth(index).map_or(Some(default), |text| text.parse().ok()).filter(|number| *number > 0)
    };
    let (Some(runs), Some(seconds)) = (number(1, 100), number(2, 20)) else {
        eprintln!("give whole numbers above 0: runs, and seconds of each");
        return ExitCode::from(2);
    };
    match repeat(runs, Duration::from_secs(seconds)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("false_alarms: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What was seen of one metric over all runs.
struct Tally {
    metric: Metric,
    runs: u32,
    called: u32,
    above_one: u32,
    called_without_margin: u32,
    half_widths: Vec<f64>,
}

fn repeat(runs: u64, budget: Duration) -> Result<(), Error> {
    let workspace = Workspace::find().ok_or_else(|| Error::Usage("there is no heapmark workspace here".into()))?;
    let workers = workspace.build(|name| name == "system")?;
    let mut tallies = [Metric::Cpu, Metric::Wall, Metric::PeakRss].map(|metric| Tally {
        metric,
        runs: 0,
        called: 0,
        above_one: 0,
        called_without_margin: 0,
        half_widths: Vec::new(),
    });
    let workloads = Comparison::of(workers.clone()).catalogue()?.default_workloads();
    for (run, workload) in (1..=runs).zip(workloads.iter().cycle()) {
        let settings = Settings { seed: run, stop: Stop::Budget(budget.into()), ..Settings::default() };
        let mut session = Comparison::of(workers.clone()).settings(settings).open(&mut |_| {})?;
        session.measure_all(&[Case::new(workload)], &mut |_| {})?;
        session.finish()?;
        println!("{run} {workload}: {}", note(session.record(), &mut tallies));
    }
    println!(
        "\n| metric | runs | called at a margin of 1 % | estimates above 1 | called without margin | median half-width |"
    );
    println!("|---|--:|--:|--:|--:|--:|");
    for tally in &mut tallies {
        let Tally { metric, runs, called, above_one, called_without_margin, half_widths } = tally;
        half_widths.sort_by(f64::total_cmp);
        let width =
            half_widths.get(half_widths.len() / 2).map_or("n/a".into(), |width| format!("{:.1} %", width * 100.0));
        println!("| {metric} | {runs} | {called} | {above_one} | {called_without_margin} | {width} |");
    }
    Ok(())
}

/// Adds a run to the tallies; what it said, in a line.
fn note(record: &Record, tallies: &mut [Tally]) -> String {
    let outcome = Outcome::of(record);
    let Some(twin) = outcome.cases.first().and_then(|case| case.twin.as_ref()) else { return "no twin".into() };
    let mut parts = Vec::new();
    for tally in tallies {
        let (compared, direction) = match tally.metric {
            Metric::Cpu => (twin.cpu, Direction::Time),
            Metric::Wall => (twin.wall, Direction::Time),
            _ => (twin.compared(tally.metric), Direction::Memory),
        };
        let Some(Compared { estimate, verdict, .. }) = compared else { continue };
        tally.runs += 1;
        tally.called += u32::from(verdict.is_difference());
        tally.above_one += u32::from(estimate.ratio > 1.0);
        tally.called_without_margin += u32::from(judge(&estimate, 0.0, direction).is_difference());
        tally.half_widths.extend(estimate.interval().map(|(low, high)| (high / low).ln() / 2.0));
        let mark = if verdict == Verdict::Same { String::new() } else { format!(" {verdict}") };
        parts.push(format!("{} {:.4} from {} blocks{mark}", tally.metric, estimate.ratio, estimate.blocks));
    }
    parts.join(", ")
}

//! Whether a true difference of 3 % in peak RSS is found in 20 seconds.
//!
//! `cargo run --release -p heapmark-cli --example memory_power -- [RUNS] [SECONDS]`, by default 20 runs of 20 seconds: `system`
//! against a handicap that makes the peak 3 % larger, on `graph/tree`. It prints a line for each run and a summary.

use std::process::ExitCode;
use std::time::Duration;

use heapmark::stats::Verdict;
use heapmark::{
    Arrangement, Case, Comparison, Contender, ContenderName, Error, Outcome, Settings, Stop, Worker, Workspace,
};

const WORKLOAD: &str = "graph/tree";
const HANDICAP: &str = "handicap@rss_pct:3";

fn main() -> ExitCode {
    let number = |index: usize, default: u64| {
        std::env::args().nth(index).map_or(Some(default), |text| text.parse().ok()).filter(|number| *number > 0)
    };
    let (Some(runs), Some(seconds)) = (number(1, 20), number(2, 20)) else {
        eprintln!("give whole numbers above 0: runs, and seconds of each");
        return ExitCode::from(2);
    };
    match repeat(runs, Duration::from_secs(seconds)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("memory_power: {error}");
            ExitCode::FAILURE
        }
    }
}

fn repeat(runs: u64, budget: Duration) -> Result<(), Error> {
    let workspace = Workspace::find().ok_or_else(|| Error::Usage("there is no heapmark workspace here".into()))?;
    let workers = workspace.build(|name| ["system", "handicap"].contains(&name))?;
    let contenders =
        ["system", HANDICAP].map(|name| named(name, &workers)).into_iter().collect::<Result<Vec<_>, _>>()?;
    let (mut fatter, mut twin_called) = (0, 0);
    for run in 1..=runs {
        let settings = Settings {
            seed: run,
            stop: Stop::Budget(budget.into()),
            arrangements: vec![Arrangement::Alone],
            ..Settings::default()
        };
        let outcome = Comparison::new(contenders.clone()).settings(settings).run(&[Case::new(WORKLOAD)])?;
        let (said, verdicts) = read(&outcome);
        fatter += u32::from(verdicts.0 == Some(Verdict::Fatter));
        twin_called += u32::from(verdicts.1.is_some_and(Verdict::is_difference));
        println!("{run}: {said}");
    }
    println!(
        "\na true difference of 3 % in peak RSS on {WORKLOAD}: called fatter in {fatter} of {runs} runs of {budget:?}"
    );
    println!("no difference (the twin): called different in {twin_called} of {runs}");
    Ok(())
}

fn named(name: &str, workers: &[Worker]) -> Result<Contender, Error> {
    Contender::resolve(&ContenderName::parse(name)?, workers)
}

/// What a run said in a line, and the verdicts on the handicap and on the twin.
fn read(outcome: &Outcome) -> (String, (Option<Verdict>, Option<Verdict>)) {
    let Some(case) = outcome.cases.first() else { return ("nothing was measured".into(), (None, None)) };
    let handicap = case.contender(HANDICAP);
    let twin = case.twin.as_ref();
    let peak = handicap.and_then(|handicap| handicap.peak_rss).map_or("n/a".into(), |peak| peak.to_string());
    let part = |name: &str, contender: Option<&heapmark::ContenderOutcome>| {
        let memory = contender.and_then(|contender| contender.memory)?;
        let (low, high) = memory.estimate.interval()?;
        let (ratio, blocks) = (memory.estimate.ratio, memory.estimate.blocks);
        Some(format!("{name} {ratio:.4} [{low:.4}, {high:.4}] from {blocks} blocks, {}", memory.verdict))
    };
    let parts: Vec<String> = [part("handicap", handicap), part("twin", twin)].into_iter().flatten().collect();
    let verdict = |contender: Option<&heapmark::ContenderOutcome>| contender.and_then(|c| c.memory).map(|m| m.verdict);
    (format!("peak {peak}; {}", parts.join("; ")), (verdict(handicap), verdict(twin)))
}

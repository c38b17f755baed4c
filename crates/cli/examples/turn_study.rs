//! How samples are best made: the spread of what two copies of one program differ by, for turns of several lengths, numbers
//! and orders, and for samples one after another, all at the same cost.
//!
//! `cargo run --release -p heapmark-cli --example turn_study -- [ROUNDS] [WORKLOAD]…`, by default 30 rounds of `graph/tree` and
//! `json/lotofobjects`. The ways are tried in turn, round after round, so that drift of the machine hits all alike. It
//! prints a table in Markdown.

use std::process::ExitCode;
use std::time::Duration;

use heapmark::stats::median;
use heapmark::{Arrangement, Case, Comparison, Error, Settings, Stop, TurnOrder, Worker, Workspace};

/// Timed time of a sample, whatever the way.
const TIMED: Duration = Duration::from_millis(400);

/// One way to make samples.
struct Way {
    name: &'static str,
    arrangement: Arrangement,
    turn_ms: u32,
    warm_turns: u32,
    order: TurnOrder,
    /// Timed time of a sample, in multiples of [`TIMED`].
    times: u32,
}

const fn turns(name: &'static str, turn_ms: u32) -> Way {
    Way { name, arrangement: Arrangement::Turns, turn_ms, warm_turns: 1, order: TurnOrder::Mirrored, times: 1 }
}

const WAYS: [Way; 12] = [
    Way { arrangement: Arrangement::Alone, ..turns("one after another, 40 × 10 ms", 10) },
    turns("turns, 200 × 2 ms", 2),
    turns("turns, 80 × 5 ms", 5),
    turns("turns, 40 × 10 ms", 10),
    turns("turns, 26 × 15 ms", 15),
    turns("turns, 20 × 20 ms", 20),
    turns("turns, 10 × 40 ms", 40),
    turns("turns, 4 × 100 ms", 100),
    Way { warm_turns: 0, ..turns("40 × 10 ms, no warm turn", 10) },
    Way { order: TurnOrder::Random, ..turns("40 × 10 ms, random order", 10) },
    Way { order: TurnOrder::Fixed, ..turns("40 × 10 ms, fixed order", 10) },
    Way { times: 2, ..turns("80 × 10 ms, at twice the cost", 10) },
];

impl Way {
    fn settings(&self, seed: u64) -> Settings {
        let turn = Duration::from_millis(self.turn_ms.into());
        let turns = u32::try_from((TIMED * self.times).as_millis()).unwrap_or(u32::MAX) / self.turn_ms;
        Settings {
            seed,
            stop: Stop::Blocks(1),
            arrangements: vec![self.arrangement],
            turn: turn.into(),
            turns,
            turns_alone: turns,
            warm_turns: self.warm_turns,
            order: self.order,
            timed_share: 0.0,
            ..Settings::default()
        }
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(rounds) = arguments.next().map_or(Some(30), |text| text.parse().ok()).filter(|rounds| *rounds > 0) else {
        eprintln!("give a whole number of rounds above 0");
        return ExitCode::from(2);
    };
    let mut workloads: Vec<String> = arguments.collect();
    if workloads.is_empty() {
        workloads = vec!["graph/tree".into(), "json/lotofobjects".into()];
    }
    match study(rounds, &workloads) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("turn_study: {error}");
            ExitCode::FAILURE
        }
    }
}

fn study(rounds: u64, workloads: &[String]) -> Result<(), Error> {
    let workspace = Workspace::find().ok_or_else(|| Error::Usage("there is no heapmark workspace here".into()))?;
    let workers = workspace.build(|name| name == "system")?;
    println!(
        "Spread of a block's ratio (half of the range between the quartiles), in percent; {rounds} blocks of each.\n"
    );
    println!("| workload | way | CPU time | wall time |\n|---|---|--:|--:|");
    for workload in workloads {
        let mut seen = WAYS.map(|_| (Vec::new(), Vec::new()));
        for round in 0..rounds {
            for (way, (cpu, wall)) in WAYS.iter().zip(&mut seen) {
                let ratios = one_block(&workers, workload, way.settings(round))?;
                cpu.extend(ratios.map(|(cpu, _)| cpu.ln()));
                wall.extend(ratios.map(|(_, wall)| wall.ln()));
            }
        }
        for (way, (cpu, wall)) in WAYS.iter().zip(&seen) {
            println!("| `{workload}` | {} | {} | {} |", way.name, spread(cpu), spread(wall));
        }
    }
    Ok(())
}

/// What one block says of the twin: its ratios of CPU time and of wall time to the reference.
fn one_block(workers: &[Worker], workload: &str, settings: Settings) -> Result<Option<(f64, f64)>, Error> {
    let outcome = Comparison::of(workers.to_vec()).settings(settings).run(&[Case::new(workload)])?;
    let twin = outcome.cases.first().and_then(|case| case.twin.as_ref());
    Ok(twin.and_then(|twin| Some((twin.cpu?.estimate.ratio, twin.wall?.estimate.ratio))))
}

/// Half of the range between the quartiles: robust against the few blocks that an interruption spoils.
fn spread(log_ratios: &[f64]) -> String {
    let mut sorted = log_ratios.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = sorted.split_at(sorted.len() / 2);
    match median(low).zip(median(high)) {
        Some((low, high)) => format!("{:.2}", (high - low) / 2.0 * 100.0),
        None => "n/a".into(),
    }
}

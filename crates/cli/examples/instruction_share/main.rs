//! States whose instructions a timed turn of a classic workload consists of: the allocator's, the workload's own loop, or
//! the harness's.
//!
//! ```sh
//! cargo run --release -p heapmark-cli --example instruction_share -- $(scripts/debian-valgrind)
//! ```
//!
//! A worker of `system` runs twice under Valgrind's callgrind, which counts every instruction of all its threads: once for
//! a few turns, once for more of them. The difference is what the turns cost, with everything that belongs to one: reading
//! clocks, waking the lanes, waiting for them, and also the messages between two turns, which no clock sees. How many units
//! a turn has is calibrated without Valgrind, so the turns are as long as those that are measured.
//!
//! The table goes to standard output in Markdown, followed by what was counted as nobody's. The exit code is 1 where the
//! allocator and the workload are less than 98 % of a turn.

mod attribution;
mod callgrind;
#[path = "../shared/malloc_code.rs"]
mod malloc_code;
mod profile;
mod worker;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;
use heapmark::{Case, Workspace};

use crate::attribution::{LEAST, Shares};
use crate::callgrind::Callgrind;
use crate::profile::Profile;
use crate::worker::Worker;

/// Turns of the two runs whose difference is looked at.
const TURNS: [u64; 2] = [2, 12];

/// How long a turn takes about, as in a run of heapmark.
const TURN_NS: u64 = 10_000_000;

/// States whose instructions the turns of classic workloads consist of.
#[derive(Debug, Parser)]
struct Arguments {
    /// Valgrind's program, where it is not on the path
    #[arg(long, value_name = "PROGRAM")]
    valgrind: Option<PathBuf>,
    /// Workloads, with parameters where they are to differ: NAME?parameter=value&...
    #[arg(value_name = "WORKLOAD", default_values = ["classic/glibc-simple", "classic/larson", "classic/sh6"])]
    workloads: Vec<String>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(reason) => {
            eprintln!("instruction_share: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let cases = arguments.workloads.iter().map(|text| Case::parse(text)).collect::<Result<Vec<_>, _>>();
    let cases = cases.map_err(|error| error.to_string())?;
    let workspace = Workspace::find().ok_or("there is no heapmark workspace around the current folder")?;
    let workers = workspace.build(|name| name == "system").map_err(|error| error.to_string())?;
    let worker = workers.first().ok_or("the workspace has no worker for `system`")?;
    let worker = worker.program.as_deref().map_err(String::clone)?;
    let callgrind = Callgrind::find(arguments.valgrind.as_deref())?;
    println!("{}", attribution::HEADING);
    let mut all = Shares::default();
    let mut code = ExitCode::SUCCESS;
    for case in &cases {
        let shares = of_a_turn(&callgrind, worker, case).map_err(|reason| format!("{case}: {reason}"))?;
        if shares.subject() < LEAST {
            code = ExitCode::FAILURE;
        }
        println!("{}", attribution::row(&case.to_string(), &shares));
        all.add(&shares);
    }
    print!("{}", attribution::legend(&all));
    Ok(code)
}

/// What one turn of this workload consists of.
fn of_a_turn(callgrind: &Callgrind, worker: &Path, case: &Case) -> Result<Shares, String> {
    let units = units_of_a_turn(worker, case)?;
    let counted = |turns: u64| {
        let mut worker = Worker::prepared(callgrind.command(worker), case)?;
        for _ in 0..turns {
            worker.turn(units)?;
        }
        worker.quit()?;
        Shares::of(&Profile::parse(&callgrind.take()?)?)
    };
    let [few, many] = TURNS;
    let (less, more) = (counted(few)?, counted(many)?);
    Ok(more.less(&less).per(many - few))
}

/// The units that take about as long as a turn should, without Valgrind: doubled up to half of that time at least, then
/// scaled to it. Of three turns the shortest counts, since whatever else the machine does makes them longer.
fn units_of_a_turn(worker: &Path, case: &Case) -> Result<u64, String> {
    let mut command = Command::new(worker);
    command.env_clear();
    let mut worker = Worker::prepared(command, case)?;
    let mut least = |units| {
        let times = [worker.turn(units)?, worker.turn(units)?, worker.turn(units)?];
        Ok::<u64, String>(times.into_iter().min().unwrap_or(0))
    };
    let mut units = 16;
    let mut took = least(units)?;
    while took < TURN_NS / 2 {
        units *= 2;
        took = least(units)?;
    }
    worker.quit()?;
    Ok((u128::from(units) * u128::from(TURN_NS) / u128::from(took)).try_into().unwrap_or(units).max(1))
}

//! States for each workload what share of its CPU time is the allocator's, under `system`.
//!
//! ```sh
//! cargo run --release -p heapmark-cli --example allocator_share -- '^json/'
//! ```
//!
//! Some processes of each workload run under `perf`, which looks at regular moments of CPU time where each thread is. Every
//! such moment in the timed turns is put down to glibc's malloc, to memory management in the kernel, or to neither. The table
//! goes to standard output in Markdown, followed by what was counted as what. Where the allocator's share is small,
//! allocators cannot differ by much.

#[path = "../shared/malloc_code.rs"]
mod malloc_code;
mod perf;
mod profile;
mod share;
mod tally;

use std::fs::File;
use std::process::ExitCode;

use clap::Parser;
use heapmark::record::Sample;
use heapmark::{Arrangement, Case, Comparison, Event, Session, Settings, Stop, Worker, Workspace};
use regex::Regex;
use rustix::time::{ClockId, clock_gettime};

use crate::perf::Perf;
use crate::profile::{Moment, Profile};
use crate::share::Classifier;
use crate::tally::Tally;

/// Fresh processes of each workload: what glibc gives back to the kernel, and how often, can differ from one to the next.
const PROCESSES: u32 = 5;

/// Timed turns of each, of ten milliseconds, which makes some thousands of moments together.
const TURNS: u32 = 80;

/// Workloads that are not about the time of allocations, and may spend little on them.
const EXEMPT: [&str; 5] = [
    // What the layout of old memory costs whoever reads it.
    "graph/aged",
    // What the placement of small objects costs whoever writes to them.
    "classic/cache-scratch",
    "classic/cache-thrash",
    // What a thread's first allocation and its end cost, among all that starting a thread does.
    "classic/mleak",
    "classic/thread-start",
];

/// Nothing is allocated in the turns of these.
const CONTROLS: &str = "control/";

/// States the share of CPU time that each workload spends in the allocator.
#[derive(Debug, Parser)]
struct Arguments {
    /// Only workloads whose name matches; controls are left out
    #[arg(value_name = "REGEX", default_value = "")]
    workload: Regex,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(code) => code,
        Err(reason) => {
            eprintln!("allocator_share: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let workspace = Workspace::find().ok_or("there is no heapmark workspace around the current folder")?;
    let workers = workspace.build(|name| name == "system").map_err(|error| error.to_string())?;
    let worker = workers.first().ok_or("the workspace has no worker for `system`")?;
    let perf = Perf::find(worker.program.as_deref().map_err(String::clone)?)?;
    let settings = Settings {
        stop: Stop::Blocks(PROCESSES),
        arrangements: vec![Arrangement::Alone],
        turns_alone: TURNS,
        twin: false,
        // What becomes of the memory afterwards is another question.
        settle_after_ms: Some(Vec::new()),
        ..Settings::default()
    };
    let profiled = Worker::at("system", perf.launcher());
    let comparison = Comparison::of([profiled]).settings(settings);
    let mut session = comparison.open(&mut |_| {}).map_err(|error| error.to_string())?;
    let names = session.catalogue().workloads.iter().map(|workload| workload.name.clone());
    let wanted = |name: &String| arguments.workload.is_match(name) && !name.starts_with(CONTROLS);
    let names: Vec<String> = names.filter(wanted).collect();
    if names.is_empty() {
        return Err(format!("no workload matches {:?}", arguments.workload.as_str()));
    }
    println!("{}", tally::HEADING);
    let mut all = Tally::default();
    let mut code = ExitCode::SUCCESS;
    for name in &names {
        match profile(&mut session, &perf, name) {
            Ok(tallies) => {
                println!("{}", tally::row(name, &tallies, EXEMPT.contains(&name.as_str())));
                for tally in &tallies {
                    all.add(tally);
                }
            }
            Err(reason) => {
                eprintln!("allocator_share: {name}: {reason}");
                code = ExitCode::FAILURE;
            }
        }
    }
    print!("{}", all.legend());
    Ok(code)
}

/// Measures a workload under the profiler, and sorts the moments in the timed turns of each process.
fn profile(session: &mut Session, perf: &Perf, name: &str) -> Result<Vec<Tally>, String> {
    let mut begun = 0;
    let mut tallies = Ok(Vec::new());
    let measured = session.measure(&Case::new(name), &mut |event| match event {
        // Only the samples themselves are profiled, not the calibration before them.
        Event::Calibrated(_) => {
            if let Err(error) = File::create(perf.switch()) {
                tallies = Err(format!("the profiler cannot be switched on: {error}"));
            }
        }
        Event::Block { .. } => begun = monotonic_ns(),
        Event::Sampled(sample) => {
            if let Ok(list) = &mut tallies {
                match sorted(perf, begun, sample) {
                    Ok(tally) => list.push(tally),
                    Err(reason) => tallies = Err(reason),
                }
            }
        }
        _ => {}
    });
    // Where nothing was calibrated there is no switch.
    let _ = std::fs::remove_file(perf.switch());
    measured.map_err(|error| error.to_string())?;
    tallies
}

/// Sorts the moments in the timed turns of a process that was started at `begun`.
fn sorted(perf: &Perf, begun: u64, sample: &Sample) -> Result<Tally, String> {
    if !sample.status.is_ok() {
        return Err(sample.status.to_string());
    }
    let profile = Profile::parse(&perf.take()?)?;
    let classifier = Classifier::new(&profile)?;
    let mut tally = Tally::default();
    for moment in in_turns(&profile, begun, sample) {
        tally.count(&classifier.classify(moment));
    }
    if tally.moments() == 0 {
        return Err("the profile has nothing in the timed turns".into());
    }
    Ok(tally)
}

/// The moments in the timed turns of a process that was started at `begun`.
///
/// The start and the preparation come before them, and a warm turn; after them everything is dropped. So they are the first
/// from the end of the preparation, as many as their CPU time makes: the warm turn takes the place of the last one, and what
/// comes after is left out.
fn in_turns<'a>(profile: &'a Profile, begun: u64, sample: &Sample) -> impl Iterator<Item = &'a Moment> {
    let prepared = begun + sample.start_ns + sample.prepare_ns;
    let count = sample.cpu().0 / perf::PERIOD_NS;
    let after = profile.moments.iter().filter(move |moment| moment.time_ns >= prepared);
    after.take(usize::try_from(count).unwrap_or(usize::MAX))
}

/// The clock that the profiler is told to use.
fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let number = |value: i64| u64::try_from(value).unwrap_or(0);
    number(now.tv_sec) * 1_000_000_000 + number(now.tv_nsec)
}

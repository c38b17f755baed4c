//! `heapmark run`

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueEnum};
use heapmark::stats::Trend;
use heapmark::{Arrangement, Bytes, Case, Error, Outcome, Session, Settings, TimeVerdict, stats};

use crate::args::{ContenderSelection, MoreContenders, WorkloadSelection};
use crate::exit::Exit;
use crate::family;
use crate::interrupt::cancel_on_interrupt;
use crate::plan;
use crate::print::{Output, say};
use crate::progress::Progress;
use crate::select;
use crate::values::{pair, percent, quiet, size, sweep};

#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) contenders: ContenderSelection,
    #[command(flatten)]
    pub(crate) workloads: WorkloadSelection,
    #[command(flatten)]
    pub(crate) more: MoreContenders,
    /// The workloads of a set, of heapmark.toml or of the catalogue, in the place of the default set
    #[arg(long = "set", value_name = "SET")]
    pub(crate) sets: Vec<String>,
    /// The contender that the others are compared with [default: system]
    #[arg(long, value_name = "CONTENDER", env = "HEAPMARK_REFERENCE", hide_env_values = true)]
    pub(crate) reference: Option<String>,
    /// Threads of every workload [default: the cores there are]
    #[arg(long, value_name = "N", env = "HEAPMARK_THREADS", hide_env_values = true)]
    pub(crate) threads: Option<u64>,
    /// A parameter of every selected workload that has it
    #[arg(long = "param", value_name = "KEY=VALUE", value_parser = pair)]
    pub(crate) parameters: Vec<(String, String)>,
    /// A parameter of every selected workload that has it, with several values: each is measured as a workload of its own, and
    /// `report --view scaling` shows them as a curve. Of several sweeps every combination is measured
    #[arg(long, value_name = "KEY=VALUE,VALUE,…", value_parser = sweep)]
    pub(crate) sweep: Vec<(String, Vec<String>)>,
    /// Seed of everything random
    #[arg(long, default_value_t = 1, env = "HEAPMARK_SEED", hide_env_values = true)]
    pub(crate) seed: u64,
    /// How much to measure, where neither blocks nor budget nor precision is given: 6, 10 or 40 blocks
    #[arg(long, value_enum, default_value_t = Preset::Default, env = "HEAPMARK_PRESET", hide_env_values = true)]
    pub(crate) preset: Preset,
    /// Stop after so many blocks of each workload; a block is a fresh process of everyone, and below 6 nothing is judged
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=10_000),
        env = "HEAPMARK_BLOCKS",
        hide_env_values = true
    )]
    pub(crate) blocks: Option<u32>,
    /// Stop when this time is used up, over all workloads: 60s, 5m
    #[arg(
        long,
        value_name = "TIME",
        value_parser = humantime::parse_duration,
        env = "HEAPMARK_BUDGET",
        hide_env_values = true
    )]
    pub(crate) budget: Option<std::time::Duration>,
    /// Stop when half of every interval is at most so wide: 1%
    #[arg(long, value_name = "PERCENT", value_parser = percent, env = "HEAPMARK_PRECISION", hide_env_values = true)]
    pub(crate) precision: Option<f64>,
    /// What to measure; blocks are shorter with only one of them [default: both]
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) measure: Vec<Measure>,
    /// Go on with the interrupted run of this record, with its contenders, workloads and settings
    #[arg(long, value_name = "RECORD")]
    pub(crate) resume: Option<PathBuf>,
    /// After how much quiet time memory is read again once everything was dropped, as 0.5s,5s,15s; 0 for not at all [default:
    /// as each workload asks for]
    #[arg(
        long,
        value_name = "TIMES",
        value_delimiter = ',',
        value_parser = quiet,
        env = "HEAPMARK_SETTLE",
        hide_env_values = true
    )]
    pub(crate) settle: Vec<u64>,
    /// Kill a worker that has more resident memory than this at its peak, as 512MiB or 2GiB; a row with the status `ceiling hit`
    #[arg(long, value_name = "SIZE", value_parser = size, env = "HEAPMARK_MEMORY_LIMIT", hide_env_values = true)]
    pub(crate) memory_limit: Option<Bytes>,
    /// Difference that is too small to matter, in percent
    #[arg(
        long,
        value_name = "PERCENT",
        default_value = "1",
        value_parser = percent,
        env = "HEAPMARK_MARGIN",
        hide_env_values = true
    )]
    pub(crate) margin: f64,
    /// The record to write, which must not exist yet [default: heapmark/run.jsonl in Cargo's target folder]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Exit with 5 where a verdict is unclear, the reference differs from itself, or anyone differs in a control
    #[arg(long, env = "HEAPMARK_STRICT", hide_env_values = true)]
    pub(crate) strict: bool,
    /// Only say what would run
    #[arg(long)]
    pub(crate) list: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// 6 blocks
    Quick,
    /// 10 blocks
    Default,
    /// 40 blocks
    Thorough,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Measure {
    /// From workers that take turns
    Time,
    /// From workers that run undisturbed
    Memory,
}

impl Measure {
    pub(crate) fn arrangement(self) -> Arrangement {
        match self {
            Self::Time => Arrangement::Turns,
            Self::Memory => Arrangement::Alone,
        }
    }
}

/// The options that say when a run has enough, of which one may be given.
const STOPS: [&str; 3] = ["blocks", "budget", "precision"];

/// The options that a resumed run takes from its record.
const RECORDED: [&str; 19] = [
    "allocator",
    "no_allocator",
    "with",
    "with_set",
    "sets",
    "reference",
    "threads",
    "parameters",
    "sweep",
    "seed",
    "preset",
    "measure",
    "settle",
    "memory_limit",
    "margin",
    "output",
    "workload",
    "no_workload",
    "list",
];

impl Run {
    /// Decides between what the command line and what the environment says: the command line wins over a variable of another
    /// option that it excludes. Fails where one of them excludes itself. Left to clap, a variable would count as given.
    pub(crate) fn settle(&mut self, given: &ArgMatches) -> Result<(), clap::Error> {
        let typed = |option: &&&str| given.value_source(option) == Some(ValueSource::CommandLine);
        let conflict = |text: String| Err(clap::Error::raw(ErrorKind::ArgumentConflict, text));
        if let Some(option) = RECORDED.iter().chain(&STOPS).find(typed).filter(|_| self.resume.is_some()) {
            return conflict(format!("--resume takes everything from the record: leave out {}\n", long(option)));
        }
        let wins = STOPS.iter().filter(typed).count() > 0 || typed(&&"preset");
        for option in STOPS.iter().filter(|option| wins && !typed(option)) {
            match *option {
                "blocks" => self.blocks = None,
                "budget" => self.budget = None,
                _ => self.precision = None,
            }
        }
        if self.sweep.iter().any(|(key, _)| key == "threads") && !typed(&&"threads") {
            self.threads = None;
        }
        let set = [self.blocks.is_some(), self.budget.is_some(), self.precision.is_some()];
        if set.iter().filter(|set| **set).count() > 1 {
            return conflict("give only one of --blocks, --budget and --precision, or of their variables\n".into());
        }
        Ok(())
    }
}

/// The option as it is typed.
fn long(id: &str) -> String {
    match id {
        "parameters" => "--param".into(),
        "sets" => "--set".into(),
        other => format!("--{}", other.replace('_', "-")),
    }
}

/// Measures what was asked for and prints the table. A failure of a contender is a row, and makes the exit code 1.
pub(crate) fn run(mut arguments: Run, output: &Output) -> Result<Exit, Error> {
    arguments.contenders.family = family::asked_for(&arguments)?;
    let arguments = &arguments;
    let surroundings = arguments.contenders.surroundings()?;
    let settings = Settings { cancel: cancel_on_interrupt()?, ..plan::settings(arguments) };
    if let Some(path) = arguments.contenders.configuration()?.path() {
        say(format_args!("configuration: {}", path.display()));
    }
    let mut planned = match &arguments.resume {
        Some(path) => plan::resumed(arguments, path, settings)?,
        None => plan::fresh(arguments, settings, &surroundings)?,
    };
    if let Some(checkout) = surroundings.checkout() {
        planned.comparison = planned.comparison.workspace(checkout.root());
    }
    let greeting = Progress::greetings();
    let mut session = planned.comparison.open(&mut |event| greeting.event(&event))?;
    drop(greeting);
    let cases = match planned.cases {
        Some(cases) => cases,
        None => select::cases(arguments, session.catalogue())?,
    };
    if arguments.list {
        print_plan(&session, &cases, output)?;
        return Ok(Exit::Pass);
    }
    measure(&mut session, &cases, output)?;
    let path = session.record_path().map(Path::to_path_buf);
    let finished = session.finish();
    let record = session.record();
    let outcome = Outcome::of(record);
    let printed = output.outcome(record, &outcome);
    if finished.is_err() {
        say_how_to_go_on(&session);
    }
    finished?;
    if let Some(path) = &path {
        say(format_args!("record: {}", path.display()));
    }
    printed?;
    if record.end.is_none() {
        let how = path.map_or_else(String::new, |path| format!("; go on with --resume {}", path.display()));
        say(format_args!("heapmark: interrupted{how}"));
        return Ok(Exit::Failure);
    }
    if record.blocks.is_empty() {
        let stop = session.settings().stop;
        say(format_args!(
            "heapmark: nothing was measured: not one block fits into {stop}; give more time, or choose fewer workloads and \
             contenders"
        ));
        return Ok(Exit::Failure);
    }
    Ok(exit(&outcome, arguments.strict))
}

/// A failure weighs more than what is unclear.
fn exit(outcome: &Outcome, strict: bool) -> Exit {
    if outcome.failures().next().is_some() {
        Exit::Failure
    } else if strict && is_inconclusive(outcome) {
        Exit::Inconclusive
    } else {
        Exit::Pass
    }
}

/// Whether the reference differs from itself, someone differs in a control, or there is a verdict that does not decide.
fn is_inconclusive(outcome: &Outcome) -> bool {
    !outcome.alarms.is_empty()
        || outcome.cases.iter().any(|case| {
            let others = case.contenders.iter().filter(|contender| contender.name != outcome.reference);
            let mut undecided = others.map(|contender| {
                let time = contender.time().is_none_or(|time| match time {
                    TimeVerdict::Cpu(verdict) | TimeVerdict::Wall(verdict) => !verdict.is_clear(),
                    TimeVerdict::TradeOff { .. } => false,
                });
                let kept = contender.over_time.as_ref().is_some_and(|memory| {
                    memory.retained_against.is_some_and(|retained| !retained.verdict.is_clear())
                        || memory.slope.is_none_or(|slope| slope.trend == Trend::Unclear)
                });
                time || kept || contender.memory.is_none_or(|memory| !memory.verdict.is_clear())
            });
            // Latencies are no part of what a run is judged by.
            case.distrusted.iter().any(|metric| !metric.is_latency()) || undecided.any(|undecided| undecided)
        })
}

/// Measures everything. If the record cannot be written, what was measured is still shown.
fn measure(session: &mut Session, cases: &[Case], output: &Output) -> Result<(), Error> {
    let contenders = session.record().contenders.len();
    let settings = session.settings().clone();
    let lasts = match session.least_time(cases) {
        Some(time) => format!("at least {time}"),
        None => settings.stop.to_string(),
    };
    say(announcement(cases.len(), contenders, settings.twin, &lasts));
    if settings.blocks().is_some_and(|blocks| (blocks as usize) < stats::MINIMUM_BLOCKS) {
        say(format_args!("below {} blocks nothing is judged", stats::MINIMUM_BLOCKS));
    }
    let samples =
        settings.blocks().map(|blocks| blocks as usize * cases.len() * contenders * settings.arrangements.len());
    let progress = Progress::new(samples.map(|samples| samples as u64));
    match session.measure_all(cases, &mut |event| progress.event(&event)) {
        Ok(_) => Ok(()),
        Err(error) => {
            drop(progress);
            // The error to report is the first.
            let _ = output.outcome(session.record(), &Outcome::of(session.record()));
            say_how_to_go_on(session);
            Err(error)
        }
    }
}

/// What is about to be measured, in a line.
fn announcement(cases: usize, workers: usize, twin: bool, lasts: &str) -> String {
    let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let twin = if twin { ", the twin included" } else { "" };
    format!("{}, {} each{twin}: {lasts}", counted(cases, "workload"), counted(workers, "worker"))
}

/// Where the record cannot be written any more, the run can go on once it can.
fn say_how_to_go_on(session: &Session) {
    if let Some(path) = session.record_path().filter(|_| !session.record().cases.is_empty()) {
        say(format_args!("the record has what could be written; go on with --resume {}", path.display()));
    }
}

fn print_plan(session: &Session, cases: &[Case], output: &Output) -> Result<(), Error> {
    for case in cases {
        for contender in &session.record().contenders {
            output.line(format_args!("{case}\t{}\t{}", contender.name, contender.status.label()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use heapmark::stats::{Estimate, Slope, Verdict};
    use heapmark::{Alarm, CaseOutcome, Compared, ContenderOutcome, CrossChecks, Metric, OverTime, Status};

    use super::*;

    #[test]
    fn one_of_a_kind_is_no_plural() {
        assert_eq!(announcement(1, 1, false, "60s"), "1 workload, 1 worker each: 60s");
        assert_eq!(
            announcement(2, 3, true, "at least 5 s"),
            "2 workloads, 3 workers each, the twin included: at least 5 s"
        );
    }

    fn compared(verdict: Verdict) -> Compared {
        Compared {
            estimate: Estimate { ratio: 1.0, low: None, high: None, blocks: 6 },
            uneven: false,
            verdict,
            minimum_detectable: None,
            blocks_needed: None,
            cross_checks: CrossChecks { sign_flip_p: None, t_interval: None },
        }
    }

    fn contender(name: &str, status: Status, time: Verdict, memory: Verdict) -> ContenderOutcome {
        ContenderOutcome {
            name: name.into(),
            status,
            throughput: None,
            cpu_per_unit_ns: None,
            idle_cpu: None,
            peak_rss: None,
            wall: Some(compared(time)),
            cpu: Some(compared(time)),
            memory: Some(compared(memory)),
            over_time: None,
            served: None,
        }
    }

    fn outcome(contender: ContenderOutcome, distrusted: Vec<Metric>) -> Outcome {
        let case = CaseOutcome {
            case: Case::new("a/b"),
            unit: "thing".into(),
            contenders: vec![contender],
            twin: None,
            twin_of: None,
            time_from: None,
            memory_from: None,
            counts: None,
            distrusted,
        };
        Outcome { reference: "system".into(), margin: 0.01, cases: vec![case], alarms: Vec::new() }
    }

    #[test]
    fn strict_runs_must_decide_and_be_trusted() {
        use Verdict::{Faster, Fatter, Same, Unclear};
        let clear = outcome(contender("other", Status::Ok, Faster, Fatter), vec![]);
        let same = outcome(contender("other", Status::Ok, Same, Same), vec![]);
        let unclear_time = outcome(contender("other", Status::Ok, Unclear, Fatter), vec![]);
        let unclear_memory = outcome(contender("other", Status::Ok, Faster, Unclear), vec![]);
        let distrusted = outcome(contender("other", Status::Ok, Faster, Fatter), vec![Metric::Wall]);
        let reference_only = outcome(contender("system", Status::Ok, Unclear, Unclear), vec![]);
        let mut alarmed = clear.clone();
        alarmed.alarms = vec![Alarm {
            case: Case::new("control/compute"),
            contender: "other".into(),
            metric: Metric::Cpu,
            verdict: Faster,
        }];
        let slope = |trend| Slope { per_turn: 0.0, low: None, high: None, late: 0.0, samples: 6, trend };
        let with_slope = |trend| {
            let over_time = OverTime { slope: Some(slope(trend)), ..OverTime::default() };
            let contender = contender("other", Status::Ok, Faster, Fatter);
            outcome(ContenderOutcome { over_time: Some(over_time), ..contender }, vec![])
        };
        let (growing, unclear_slope) = (with_slope(Trend::Growing), with_slope(Trend::Unclear));
        let failed = outcome(contender("other", Status::Timeout { detail: "x".into() }, Unclear, Unclear), vec![]);
        for (outcome, lenient, strict) in [
            (&clear, Exit::Pass, Exit::Pass),
            (&same, Exit::Pass, Exit::Pass),
            (&unclear_time, Exit::Pass, Exit::Inconclusive),
            (&unclear_memory, Exit::Pass, Exit::Inconclusive),
            (&distrusted, Exit::Pass, Exit::Inconclusive),
            (&alarmed, Exit::Pass, Exit::Inconclusive),
            (&growing, Exit::Pass, Exit::Pass),
            (&unclear_slope, Exit::Pass, Exit::Inconclusive),
            (&reference_only, Exit::Pass, Exit::Pass),
            (&failed, Exit::Failure, Exit::Failure),
        ] {
            assert_eq!((exit(outcome, false), exit(outcome, true)), (lenient, strict), "{outcome:?}");
        }
    }
}

//! `heapmark rank`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use heapmark::record::Record;
use heapmark::{Case, Error, Outcome, Quantity, Standings, Weights, view};

use crate::args::{Judging, RecordSelection};
use crate::exit::Exit;
use crate::print::Output;
use crate::records::{self, Judged};
use crate::values::weight;

#[derive(Debug, Args)]
pub(crate) struct Rank {
    /// Records, as `heapmark run` wrote them. Several must be of the same revision, machine, builds and sizes
    #[arg(value_name = "RECORD", required = true)]
    pub(crate) records: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) judging: Judging,
    #[command(flatten)]
    pub(crate) selection: RecordSelection,
    /// Put contenders in order too, by the geometric mean of their ratios with these weights, such as
    /// throughput=2,peak-rss=1; of throughput, wall, cpu and peak-rss. There are no default weights
    #[arg(long, value_name = "METRIC=WEIGHT", value_delimiter = ',', value_parser = weight)]
    pub(crate) weigh: Vec<(Quantity, f64)>,
    /// What time is on the front
    #[arg(long, value_enum, default_value_t = Clock::Cpu)]
    pub(crate) clock: Clock,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Clock {
    /// CPU time, the steadier one
    Cpu,
    /// Wall time
    Wall,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables for a terminal
    Text,
    /// For programs
    Json,
}

/// Prints the front of time and memory of each workload and over all, and the order by weights if there are any.
pub(crate) fn rank(arguments: &Rank, output: &Output) -> Result<Exit, Error> {
    let weights = match arguments.weigh.as_slice() {
        [] => None,
        weights => Some(Weights::new(weights.iter().copied())?),
    };
    let all = records::read(&arguments.records, &arguments.judging, &arguments.selection)?;
    if arguments.selection.list {
        records::list(&all, output)?;
        return Ok(Exit::Pass);
    }
    refuse_doubles(&all)?;
    let time = match arguments.clock {
        Clock::Cpu => Quantity::Cpu,
        Clock::Wall => Quantity::Wall,
    };
    let parts: Vec<(&Record, &Outcome)> = all.iter().map(|judged| (&judged.record, &judged.outcome)).collect();
    let standings = Standings::of(&parts, time, weights.as_ref())?;
    match arguments.format {
        Format::Text => output.line(view::standings(&standings, output.screen()))?,
        Format::Json => output.json(&standings)?,
    }
    Ok(Exit::Pass)
}

/// A workload that two records have would count twice in the means.
fn refuse_doubles(all: &[Judged]) -> Result<(), Error> {
    let mut seen: Vec<(&Case, &str)> = Vec::new();
    for judged in all {
        for case in judged.outcome.cases.iter().map(|outcome| &outcome.case) {
            if let Some((_, name)) = seen.iter().find(|(other, _)| *other == case) {
                let name = *name;
                return Err(Error::Usage(format!("{case} is in {name} and in {}: it would count twice", judged.name)));
            }
            seen.push((case, &judged.name));
        }
    }
    Ok(())
}

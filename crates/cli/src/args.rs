//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use heapmark::{Arrangement, ContenderName, Worker};
use regex::Regex;

/// Compares global allocators on real work: which one is faster, which one is leaner, and how sure that is.
///
/// Results go to standard output, everything else to standard error. Exit codes: 0 all is well; 1 something failed, such as
/// a worker that crashed; 2 the request makes no sense; 4 the selection leaves nothing to do.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// List allocators and workloads, with what they are made of
    List(List),
    /// Build the workers and say where they are
    Build(Build),
    /// Measure, and say which allocator is faster and which is leaner
    Run(Box<Run>),
    /// Show a record again: as text, or as a page in Markdown
    Report(Report),
}

/// Which allocators.
#[derive(Debug, Args)]
pub(crate) struct ContenderSelection {
    /// Only allocators whose name matches
    #[arg(short = 'a', long, value_name = "REGEX")]
    pub(crate) allocator: Vec<Regex>,
    /// No allocators whose name matches
    #[arg(short = 'A', long, value_name = "REGEX")]
    pub(crate) no_allocator: Vec<Regex>,
    /// A worker program of your own, under a name
    #[arg(long, value_name = "NAME=PATH", value_parser = worker)]
    pub(crate) worker: Vec<Worker>,
}

/// Which workloads.
#[derive(Debug, Args)]
pub(crate) struct WorkloadSelection {
    /// Only workloads whose name matches; without this, the default set
    #[arg(short = 'w', long, value_name = "REGEX")]
    pub(crate) workload: Vec<Regex>,
    /// No workloads whose name matches
    #[arg(short = 'W', long, value_name = "REGEX")]
    pub(crate) no_workload: Vec<Regex>,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// A workload to explain in full
    #[arg(value_name = "WORKLOAD")]
    pub(crate) name: Option<String>,
    /// Workloads only
    #[arg(long)]
    pub(crate) workloads: bool,
    #[command(flatten)]
    pub(crate) contenders: ContenderSelection,
    /// How to print it
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    Text,
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct Build {
    #[command(flatten)]
    pub(crate) contenders: ContenderSelection,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) contenders: ContenderSelection,
    #[command(flatten)]
    pub(crate) workloads: WorkloadSelection,
    /// One more contender, with knobs: `jemalloc@dirty_decay_ms:0,narenas:1`
    #[arg(long, value_name = "NAME@KNOB:VALUE", value_parser = contender)]
    pub(crate) with: Vec<ContenderName>,
    /// The contender that the others are compared with [default: system]
    #[arg(long, value_name = "CONTENDER")]
    pub(crate) reference: Option<String>,
    /// Threads of every workload [default: the cores there are]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<u64>,
    /// A parameter of every selected workload that has it
    #[arg(long = "param", value_name = "KEY=VALUE", value_parser = pair)]
    pub(crate) parameters: Vec<(String, String)>,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How much to measure, where neither blocks nor budget nor precision is given: 6, 10 or 40 blocks
    #[arg(long, value_enum, default_value_t = Preset::Default)]
    pub(crate) preset: Preset,
    /// Stop after so many blocks of each workload; a block is a fresh process of everyone, and below 6 nothing is judged
    #[arg(long, value_name = "N", group = "stop", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) blocks: Option<u32>,
    /// Stop when this time is used up, over all workloads: 60s, 5m
    #[arg(long, value_name = "TIME", group = "stop", value_parser = humantime::parse_duration)]
    pub(crate) budget: Option<std::time::Duration>,
    /// Stop when half of every interval is at most so wide: 1%
    #[arg(long, value_name = "PERCENT", group = "stop", value_parser = percent)]
    pub(crate) precision: Option<f64>,
    /// What to measure; blocks are shorter with only one of them [default: both]
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) measure: Vec<Measure>,
    /// Go on with the interrupted run of this record, with its contenders, workloads and settings
    #[arg(
        long,
        value_name = "RECORD",
        conflicts_with_all = ["stop", "with", "reference", "threads", "parameters", "output", "workload", "no_workload", "list"]
    )]
    pub(crate) resume: Option<PathBuf>,
    /// Difference that is too small to matter, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = percent)]
    pub(crate) margin: f64,
    /// The record to write, which must not exist yet [default: heapmark/run.jsonl in Cargo's target folder]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
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

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The record, as `heapmark run` wrote it
    #[arg(value_name = "RECORD")]
    pub(crate) record: PathBuf,
    /// How to show it
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// Replace what stands between the lines `<!-- heapmark:begin -->` and `<!-- heapmark:end -->` of this file by the table
    #[arg(long, value_name = "FILE")]
    pub(crate) splice: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// The table, for a terminal
    Text,
    /// The table in Markdown
    Table,
    /// A whole page in Markdown: table, machine, contenders, settings
    Page,
}

fn worker(text: &str) -> Result<Worker, String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok(Worker::at(name, path)),
        _ => Err("write NAME=PATH".into()),
    }
}

fn contender(text: &str) -> Result<ContenderName, String> {
    ContenderName::parse(text).map_err(|error| error.to_string())
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.into(), value.into())),
        _ => Err("write KEY=VALUE".into()),
    }
}

fn percent(text: &str) -> Result<f64, String> {
    match text.strip_suffix('%').unwrap_or(text).trim_end().parse() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err("give a number from 0 to 100".into()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn margins_are_percentages() {
        for one in ["1", "1%", "1.0 %"] {
            assert_eq!(percent(one), Ok(0.01));
        }
        for wrong in ["-1", "101", "NaN", "inf", "", "%", "1%%"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }
}

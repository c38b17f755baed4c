//! The command line. What a verb takes stands beside what it does.

use std::cell::OnceCell;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use heapmark::configuration::Configuration;
use heapmark::{ContenderName, Worker};
use regex::Regex;

use crate::exit::Exit;
use crate::print::Colour;
use crate::values::{contender, percent, preload, worker};
use crate::{build, cmp, completions, doctor, list, load, man, new, rank, report, run, serve, verify};

/// Compares global allocators on real work: which one is faster, which one is leaner, and how sure that is.
///
/// `heapmark run` measures and writes a record; `cmp`, `rank` and `report` show records; `verify` checks that
/// allocators are sound; `doctor` says what this machine can tell apart. Results go to standard output, everything else to standard error.
#[derive(Debug, Parser)]
#[command(name = "heapmark", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    /// When to colour results
    #[arg(
        long,
        value_enum,
        global = true,
        value_name = "WHEN",
        env = "HEAPMARK_COLOR",
        hide_env_values = true,
        default_value_t
    )]
    pub(crate) color: Colour,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// List allocators and workloads, with what they are made of
    List(list::List),
    /// Begin an allocator or a workload of your own, in a small crate that runs beside the standard ones
    New(new::New),
    /// Build the workers and say where they are
    Build(build::Build),
    /// Measure, and say which allocator is faster and which is leaner
    Run(Box<run::Run>),
    /// Compare the contenders of records: a row for each metric, to read or for programs
    Cmp(cmp::Cmp),
    /// Say who is on the front of time and memory, or put contenders in order by weights
    Rank(rank::Rank),
    /// Show a record again: as text, as a page or table in Markdown, as CSV or JSON
    Report(report::Report),
    /// Check that allocators are sound: alignment, content, threads, fork, exhaustion, memory that comes back
    Verify(verify::Verify),
    /// Put an HTTP server under load: requests in a second, latency, failures by kind
    Load(load::Loading),
    /// Let a server run under an allocator, for others to put under load, from this host or from another
    Serve(serve::Serve),
    /// Say what on this machine spoils measurements, and how small a difference it can show
    Doctor(doctor::Doctor),
    /// Print completions for a shell
    Completions(completions::Completions),
    /// Print the manual
    Man(man::Man),
}

/// Which allocators.
#[derive(Debug, Default, Args)]
pub(crate) struct ContenderSelection {
    /// Only allocators whose name matches; one that is left out unless it is named must be matched whole
    #[arg(short = 'a', long, value_name = "REGEX")]
    pub(crate) allocator: Vec<Regex>,
    /// No allocators whose name matches
    #[arg(short = 'A', long, value_name = "REGEX")]
    pub(crate) no_allocator: Vec<Regex>,
    /// A worker program of your own, under a name
    #[arg(long, value_name = "NAME=PATH", value_parser = worker)]
    pub(crate) worker: Vec<Worker>,
    /// A library that replaces malloc, under a name: it is preloaded into the worker of the system allocator
    #[arg(long, value_name = "NAME=PATH", value_parser = preload)]
    pub(crate) preload: Vec<(String, PathBuf)>,
    /// The configuration [default: heapmark.toml here or in a folder around, up to the root of the repository]
    #[arg(long, value_name = "FILE", env = "HEAPMARK_CONFIG", hide_env_values = true)]
    pub(crate) config: Option<PathBuf>,
    /// What that says, once it was read.
    #[arg(skip)]
    pub(crate) configuration: OnceCell<Configuration>,
    /// The family of workloads that the workers are for, where it has its own.
    #[arg(skip)]
    pub(crate) family: Option<String>,
}

/// Which contenders beside the backends as they are.
#[derive(Debug, Default, Args)]
pub(crate) struct MoreContenders {
    /// One more contender: a backend with knobs, `jemalloc@narenas:1` or `mimalloc@thp:never`, or a name of heapmark.toml
    #[arg(long, value_name = "NAME@KNOB:VALUE", value_parser = contender)]
    pub(crate) with: Vec<ContenderName>,
    /// More contenders: a set of heapmark.toml or a ready-made one, see `heapmark list --sets`
    #[arg(long, value_name = "SET")]
    pub(crate) with_set: Vec<String>,
}

/// Which workloads.
#[derive(Debug, Args)]
pub(crate) struct WorkloadSelection {
    /// Only workloads whose name matches; without this, the default set. Those of a family with workers of its own take part where
    /// the pattern has its name: `service/hello`
    #[arg(short = 'w', long, value_name = "REGEX")]
    pub(crate) workload: Vec<Regex>,
    /// No workloads whose name matches
    #[arg(short = 'W', long, value_name = "REGEX")]
    pub(crate) no_workload: Vec<Regex>,
}

/// Which parts of a record.
#[derive(Debug, Args)]
pub(crate) struct RecordSelection {
    /// Only workloads whose name matches
    #[arg(short = 'w', long, value_name = "REGEX")]
    pub(crate) workload: Vec<Regex>,
    /// No workloads whose name matches
    #[arg(short = 'W', long, value_name = "REGEX")]
    pub(crate) no_workload: Vec<Regex>,
    /// Only contenders whose name matches; the reference stays
    #[arg(short = 'a', long, value_name = "REGEX")]
    pub(crate) allocator: Vec<Regex>,
    /// No contenders whose name matches
    #[arg(short = 'A', long, value_name = "REGEX")]
    pub(crate) no_allocator: Vec<Regex>,
    /// Only say which workloads and contenders are selected
    #[arg(long)]
    pub(crate) list: bool,
}

/// By what a record is judged.
#[derive(Debug, Args)]
pub(crate) struct Judging {
    /// Compare with this contender of the record [default: the reference of the run]
    #[arg(long, value_name = "CONTENDER")]
    pub(crate) reference: Option<String>,
    /// Difference that is too small to matter, in percent [default: the margin of the run]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) margin: Option<f64>,
}

impl Arguments {
    /// The command as clap knows it, with the exit codes below its help.
    pub(crate) fn definition() -> clap::Command {
        Self::command().after_long_help(Exit::table())
    }

    /// Reads the command line; what makes no sense ends the program here.
    pub(crate) fn read() -> Self {
        let mut definition = Self::definition();
        let matches = definition.get_matches_mut();
        let read = || {
            let mut arguments = Self::from_arg_matches(&matches)?;
            if let (Verb::Run(run), Some((_, given))) = (&mut arguments.verb, matches.subcommand()) {
                run.settle(given)?;
            }
            Ok(arguments)
        };
        read().unwrap_or_else(|error: clap::Error| error.format(&mut definition).exit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::definition().debug_assert();
    }
}

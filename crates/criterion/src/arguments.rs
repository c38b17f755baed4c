//! The command line of a criterion bench, as far as heapmark has to know it: criterion does not tell what it read.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Command};
use heapmark::{Error, Settings, Stop};
use regex::Regex;

use crate::metric::Metric;

/// What a criterion bench does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Measures, analyses, and keeps the results.
    Benchmark,
    /// Runs every function once: `--test`, and whatever is not started by `cargo bench`.
    Test,
    /// Prints names: `--list`.
    List,
    /// Iterates for a profiler: `--profile-time`.
    Profile,
}

/// The command line of a criterion bench.
#[derive(Clone, Debug)]
pub struct Arguments {
    mode: Mode,
    filter: Filter,
    quick: bool,
    sample_size: Option<u32>,
    loads: bool,
    idle: Vec<&'static str>,
}

#[derive(Clone, Debug)]
enum Filter {
    All,
    Pattern(Regex),
    Exact(String),
    /// `--ignored`: no benchmark is.
    Nothing,
}

/// Criterion's options that take a value, with their short forms.
const WITH_VALUE: [(&str, Option<char>); 16] = [
    ("baseline", Some('b')),
    ("baseline-lenient", None),
    ("color", Some('c')),
    ("confidence-level", None),
    ("format", None),
    ("load-baseline", None),
    ("measurement-time", None),
    ("noise-threshold", None),
    ("nresamples", None),
    ("output-format", None),
    ("plotting-backend", None),
    ("profile-time", None),
    ("sample-size", None),
    ("save-baseline", Some('s')),
    ("significance-level", None),
    ("warm-up-time", None),
];

/// Criterion's options without a value.
const FLAGS: [(&str, Option<char>); 15] = [
    ("bench", None),
    ("discard-baseline", None),
    ("exact", None),
    ("help", Some('h')),
    ("ignored", None),
    ("include-ignored", None),
    ("list", None),
    ("nocapture", None),
    ("noplot", Some('n')),
    ("quick", None),
    ("quiet", None),
    ("show-output", None),
    ("test", None),
    ("verbose", Some('v')),
    ("version", Some('V')),
];

/// Criterion's options that change nothing here, since heapmark decides how long a sample is.
const IDLE: [&str; 2] = ["measurement-time", "warm-up-time"];

impl Arguments {
    /// Blocks of `--quick`.
    pub const QUICK_BLOCKS: u32 = 3;

    /// The least number of samples that criterion analyses.
    pub const LEAST_SAMPLES: u32 = 10;

    /// Reads the command line of this process. To be called after criterion's `configure_from_args`, which ends the process
    /// with a message where the command line is wrong.
    pub fn from_env() -> Result<Self, Error> {
        Self::read(std::env::args_os().skip(1))
    }

    /// Reads a command line, without the program's name. What criterion would refuse is passed over.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, Error> {
        let arguments = std::iter::once(OsString::from("bench")).chain(arguments);
        let matches = command().try_get_matches_from(arguments).map_err(|error| Error::Usage(error.to_string()))?;
        let flag = |name: &str| matches.get_flag(name);
        let mode = if flag("list") {
            Mode::List
        } else if flag("test") || !flag("bench") {
            Mode::Test
        } else if given(&matches, "profile-time") {
            Mode::Profile
        } else {
            Mode::Benchmark
        };
        let filter = match matches.get_one::<String>("FILTER") {
            _ if flag("ignored") => Filter::Nothing,
            Some(name) if flag("exact") => Filter::Exact(name.clone()),
            Some(pattern) => Filter::Pattern(Regex::new(pattern).map_err(|error| Error::Usage(error.to_string()))?),
            None => Filter::All,
        };
        Ok(Self {
            mode,
            filter,
            quick: flag("quick"),
            sample_size: matches.get_one::<String>("sample-size").and_then(|size| size.parse().ok()),
            loads: given(&matches, "load-baseline"),
            idle: IDLE.into_iter().filter(|name| given(&matches, name)).collect(),
        })
    }

    /// What the bench does.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether benchmarks are chosen by name.
    pub fn is_filtered(&self) -> bool {
        !matches!(self.filter, Filter::All)
    }

    /// Whether the benchmark of this name, `GROUP/FUNCTION`, is chosen.
    pub fn selects(&self, name: &str) -> bool {
        match &self.filter {
            Filter::All => true,
            Filter::Pattern(pattern) => pattern.is_match(name),
            Filter::Exact(exact) => name == exact,
            Filter::Nothing => false,
        }
    }

    /// Whether anything is measured: not in a list, and not where criterion loads samples of an earlier run.
    pub fn measures(&self) -> bool {
        self.mode != Mode::List && !(self.loads && self.mode == Mode::Benchmark)
    }

    /// Whether criterion is handed one value instead of a sample: `--quick`.
    pub fn is_quick(&self) -> bool {
        self.quick && self.mode == Mode::Benchmark
    }

    /// Options that were given and change nothing, since heapmark decides how long a sample is.
    pub fn idle_options(&self) -> &[&'static str] {
        &self.idle
    }

    /// How a run for this metric is made: as `settings` say, but in the metric's own arrangement, with as many blocks as
    /// criterion is to get samples, and with the least work where nothing is measured in earnest. A run that would end
    /// otherwise than after a number of blocks gets criterion's least number, or what `--sample-size` says.
    #[must_use]
    pub fn settings<M: Metric>(&self, settings: &Settings) -> Settings {
        let settings = Settings { arrangements: vec![M::ARRANGEMENT], ..settings.clone() };
        if self.mode == Mode::Test {
            return settings.with_least_work();
        }
        let blocks = match self.sample_size {
            _ if self.is_quick() => Self::QUICK_BLOCKS,
            Some(size) => size,
            None => settings.blocks().unwrap_or_default().max(Self::LEAST_SAMPLES),
        };
        Settings { stop: Stop::Blocks(blocks), ..settings }
    }
}

fn given(matches: &ArgMatches, name: &str) -> bool {
    matches.contains_id(name)
}

/// Criterion's command line. The same parser reads it, so that it is understood alike.
fn command() -> Command {
    let with_value = WITH_VALUE.map(|(name, short)| option(name, short).action(ArgAction::Set));
    let flags = FLAGS.map(|(name, short)| option(name, short).action(ArgAction::SetTrue));
    Command::new("bench")
        .disable_help_flag(true)
        .disable_version_flag(true)
        .ignore_errors(true)
        .arg(Arg::new("FILTER").index(1))
        .args(with_value)
        .args(flags)
}

fn option(name: &'static str, short: Option<char>) -> Arg {
    let option = Arg::new(name).long(name);
    let option = if name == "color" { option.alias("colour") } else { option };
    match short {
        Some(short) => option.short(short),
        None => option,
    }
}

#[cfg(test)]
mod tests {
    use heapmark::Arrangement;

    use super::*;
    use crate::{PeakRss, TimePerUnit};

    fn read(line: &str) -> Arguments {
        Arguments::read(line.split_whitespace().map(OsString::from)).unwrap()
    }

    #[test]
    fn the_mode_is_criterions() {
        for (line, mode, measures) in [
            ("--bench", Mode::Benchmark, true),
            ("--bench json --noplot", Mode::Benchmark, true),
            ("--bench --test", Mode::Test, true),
            ("", Mode::Test, true),
            ("--list", Mode::List, false),
            ("--list --format terse --bench", Mode::List, false),
            ("--bench --profile-time 5", Mode::Profile, true),
            ("--bench --load-baseline a --baseline b", Mode::Benchmark, false),
        ] {
            let arguments = read(line);
            assert_eq!((arguments.mode(), arguments.measures()), (mode, measures), "{line}");
        }
    }

    #[test]
    fn a_filter_is_told_from_the_values_of_options() {
        for (line, filtered, selected) in [
            ("--bench", false, true),
            ("--bench json", true, true),
            ("json --bench", true, true),
            ("--bench graph", true, false),
            ("--bench ^throughput/json/parse/system$", true, true),
            ("--bench ^json", true, false),
            ("--bench --exact json", true, false),
            ("--bench throughput/json/parse/system --exact", true, true),
            ("--bench --save-baseline json", false, true),
            ("--bench --save-baseline=json graph", true, false),
            ("--bench -s graph", false, true),
            ("--bench -sgraph json", true, true),
            ("--bench -n json", true, true),
            ("--bench -nvb graph json", true, true),
            ("--bench --sample-size 20 --colour never", false, true),
            ("--bench --ignored", true, false),
            ("--bench --ignored json", true, false),
            ("--bench -- json", true, true),
        ] {
            let arguments = read(line);
            let seen = (arguments.is_filtered(), arguments.selects("throughput/json/parse/system"));
            assert_eq!(seen, (filtered, selected), "{line}");
        }
        assert!(Arguments::read(["--bench".into(), "(".into()]).is_err());
    }

    #[test]
    fn settings_follow_the_command_line() {
        let stop = |line: &str, stop| read(line).settings::<PeakRss>(&Settings { stop, ..Settings::default() }).stop;
        let blocks = |line: &str, blocks| stop(line, Stop::Blocks(blocks));
        assert_eq!(blocks("--bench", 12), Stop::Blocks(12));
        assert_eq!(blocks("--bench", 4), Stop::Blocks(Arguments::LEAST_SAMPLES));
        assert_eq!(blocks("--bench --sample-size 25", 12), Stop::Blocks(25));
        assert_eq!(blocks("--bench --sample-size=25 --noplot", 12), Stop::Blocks(25));
        assert_eq!(blocks("--bench --quick", 12), Stop::Blocks(Arguments::QUICK_BLOCKS));
        assert_eq!(blocks("--test --bench", 12), Settings::smoke().stop);
        assert_eq!(stop("--bench", Stop::Precision(0.01)), Stop::Blocks(Arguments::LEAST_SAMPLES));
        let settings = Settings { seed: 7, ..Settings::default() };
        let test = read("--test").settings::<TimePerUnit>(&settings);
        let least = Settings { seed: 7, arrangements: test.arrangements.clone(), ..Settings::smoke() };
        assert_eq!(format!("{test:?}"), format!("{least:?}"), "memory workloads wait for nothing, either");
        assert_eq!(read("--bench").settings::<TimePerUnit>(&settings).arrangements, [Arrangement::Turns]);
        assert_eq!(read("--bench").settings::<PeakRss>(&settings).arrangements, [Arrangement::Alone]);
    }

    #[test]
    fn options_that_change_nothing_are_known() {
        assert_eq!(read("--bench --warm-up-time 3 --measurement-time=5").idle_options(), IDLE);
        assert!(read("--bench --sample-size 10").idle_options().is_empty());
    }
}

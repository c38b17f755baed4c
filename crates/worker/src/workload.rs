//! What a workload is: a description, a preparation, and lanes that do units of work.

use std::fmt;
use std::net::SocketAddr;

use crate::{Offer, Requests, Serving};

/// A named piece of work with parameters, deterministic for a seed.
///
/// The life of a workload in a worker: [`prepare`](Workload::prepare) makes inputs and random scripts (untimed), each
/// thread makes its [`Lane`] (untimed), then every [`Lane::turn`] does a number of units (timed), then lanes and job are
/// dropped (untimed, memory is read after it).
pub trait Workload: Sync {
    /// Name, summary, unit and parameters.
    fn about(&self) -> &About;

    /// Makes everything that the timed part needs and that is not its subject. Fails with a line for the user, such as a
    /// combination of parameters that makes no sense; single parameters are already in range.
    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String>;

    /// Makes the workload ready as a server at this address, for others to put under load; with port 0, at a free port. Fails with a line
    /// for the user where it cannot listen there, and where the workload is no server, as most are not.
    fn serve(&self, _: &Setup<'_>, _: SocketAddr) -> Result<(Box<dyn Serving>, Offer), String> {
        Err(format!("{} is no server", self.about().name))
    }

    /// Whether it does something else than what it is named after, to lose by a known amount. One such workload makes its worker
    /// a handicap: it is compared only where it is named, and its checksums with nobody's.
    fn is_handicapped(&self) -> bool {
        false
    }

    /// Says that this workload is about memory over time: after how much quiet time, in milliseconds and ascending, memory is
    /// worth reading once everything was dropped. At most eight moments. A harness waits for them where samples run
    /// undisturbed; a workload about something else names none, and nobody waits.
    fn settle_ms(&self) -> &'static [u64] {
        &[]
    }
}

/// A workload made ready: what its lanes share.
pub trait Job: Sync {
    /// How many threads the worker is to start. A workload that brings a thread pool of its own says 1.
    fn lanes(&self) -> usize;

    /// Makes the state of one lane. Called on the thread that the lane will run on, so that what it allocates belongs there.
    fn lane(&self, index: usize) -> Box<dyn Lane + '_>;

    /// How many units a turn should have at least, where fewer say little: a harness that looks for the units of a turn of some
    /// length goes no lower. Asked for once, when the job is ready.
    fn least_units(&self) -> u64 {
        1
    }

    /// Why the turn that has just ended did not do its work, where that can fail by other than a panic; asked for after every turn.
    /// The line is for the user: the worker reports it and ends.
    fn failure(&self) -> Option<String> {
        None
    }

    /// What the requests came to, of a workload that serves some: asked for once, after the last turn and after the peak was
    /// read, while everything is still alive. Whoever makes the requests leaves out those of the first turn, which warms up.
    /// Fails with a line for the user where it cannot be had.
    fn requests(&self) -> Result<Option<Requests>, String> {
        Ok(None)
    }
}

/// One thread's part of a workload. Dropping it drops what it keeps alive.
pub trait Lane {
    /// Does this lane's share of the turn: [`Turn::share`] units of [`Turn::units`]. This is what is timed.
    fn turn(&mut self, turn: &Turn) -> Tally;
}

/// One timed turn, as one lane sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Units of all lanes together.
    pub units: u64,
    /// How many lanes there are.
    pub lanes: usize,
    /// Which of them this is, from 0.
    pub lane: usize,
}

impl Turn {
    /// The units that this lane does.
    pub fn share(&self) -> u64 {
        self.share_of(self.lane)
    }

    /// The units that lane `lane` does in this turn; the shares differ by at most one and add up to [`Turn::units`].
    pub fn share_of(&self, lane: usize) -> u64 {
        let (lanes, lane) = (self.lanes as u64, lane as u64);
        self.units / lanes + u64::from(lane < self.units % lanes)
    }
}

/// What was done: how many units, and a checksum of their results.
///
/// Both must be the same under every allocator for the same seed and sequence of turns. Lanes are combined by
/// wrapping addition, so the order in which threads finish does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Units done.
    pub count: u64,
    /// Checksum of the results.
    pub checksum: u64,
}

impl Tally {
    /// Adds one unit with this checksum.
    pub fn add(&mut self, checksum: u64) {
        self.count += 1;
        self.checksum = self.checksum.wrapping_add(checksum);
    }

    /// Both parts added up.
    #[must_use]
    pub fn combined(self, other: Self) -> Self {
        Self { count: self.count + other.count, checksum: self.checksum.wrapping_add(other.checksum) }
    }
}

/// The description of a workload.
#[derive(Debug)]
pub struct About {
    /// `family/name`, lower case.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// What one unit is, in the singular: `request`, `tree`, `document`.
    pub unit: &'static str,
    /// What it stresses, what to read from it, and where it comes from: a paragraph.
    pub details: &'static str,
    /// Its parameters; at most [`MAX_PARAMETERS`].
    pub parameters: &'static [Parameter],
}

/// How many parameters a workload may have; their values are kept in an array, to leave the heap alone.
pub const MAX_PARAMETERS: usize = 16;

/// The description of one parameter.
#[derive(Debug)]
pub struct Parameter {
    /// Lower case, words joined by `_`.
    pub name: &'static str,
    /// What it sets, in a line, with its unit.
    pub summary: &'static str,
    /// What values it takes.
    pub values: Values,
}

/// The values that a parameter takes.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// A whole number.
    Number {
        /// If none is given.
        default: u64,
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// A number of threads, from 1 to 1,024; if none is given, the cores that the process may run on.
    Threads,
    /// One of these words; the first if none is given.
    Choice(&'static [&'static str]),
}

impl Parameter {
    /// A whole number from `min` to `max`.
    pub const fn number(name: &'static str, default: u64, min: u64, max: u64, summary: &'static str) -> Self {
        Self { name, summary, values: Values::Number { default, min, max } }
    }

    /// One of `words`, the first if none is given.
    pub const fn choice(name: &'static str, words: &'static [&'static str], summary: &'static str) -> Self {
        Self { name, summary, values: Values::Choice(words) }
    }

    /// The parameter `threads`, which nearly every workload has.
    pub const fn threads() -> Self {
        Self { name: "threads", summary: "threads that work at the same time", values: Values::Threads }
    }
}

impl Values {
    /// The least number allowed; 0 for words.
    pub const fn min(&self) -> u64 {
        match self {
            Self::Number { min, .. } => *min,
            Self::Threads => 1,
            Self::Choice(_) => 0,
        }
    }

    /// The greatest number allowed; for words, the index of the last.
    pub const fn max(&self) -> u64 {
        match self {
            Self::Number { max, .. } => *max,
            Self::Threads => 1024,
            Self::Choice(words) => words.len() as u64 - 1,
        }
    }

    /// The value if none is given; for words, its index.
    pub fn default_value(&self) -> u64 {
        match self {
            Self::Number { default, .. } => *default,
            Self::Threads => crate::cores(),
            Self::Choice(_) => 0,
        }
    }

    /// Reads a value. Fails with what would be allowed.
    fn parse(&self, text: &str) -> Result<u64, String> {
        if let Self::Choice(words) = self {
            return words
                .iter()
                .position(|word| *word == text)
                .map(|index| index as u64)
                .ok_or_else(|| format!("choose one of {}", words.join(", ")));
        }
        let allowed = || format!("give a whole number from {} to {}", self.min(), self.max());
        let value: u64 = text.parse().map_err(|_| allowed())?;
        if (self.min()..=self.max()).contains(&value) { Ok(value) } else { Err(allowed()) }
    }

    /// Formats a value as it would be given.
    pub(crate) fn show(&self, value: u64) -> impl fmt::Display + '_ {
        fmt::from_fn(move |f| match self {
            Self::Choice(words) => f.write_str(words[usize::try_from(value).unwrap_or_default()]),
            _ => write!(f, "{value}"),
        })
    }
}

/// What a workload is prepared from: the seed and a value for each of its parameters.
#[derive(Debug)]
pub struct Setup<'a> {
    about: &'a About,
    values: [u64; MAX_PARAMETERS],
    /// The seed of everything random.
    pub seed: u64,
}

impl<'a> Setup<'a> {
    /// The defaults of a workload.
    pub fn new(about: &'a About, seed: u64) -> Self {
        let mut values = [0; MAX_PARAMETERS];
        for (value, parameter) in values.iter_mut().zip(about.parameters) {
            *value = parameter.values.default_value();
        }
        Self { about, values, seed }
    }

    /// Sets one parameter. Fails with a line for the user if there is no such parameter or the value is out of range.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
        let workload = self.about.name;
        let Some(index) = self.about.parameters.iter().position(|p| p.name == name) else {
            let mut known: Vec<_> = self.about.parameters.iter().map(|p| p.name).collect();
            known.sort_unstable();
            return Err(format!("{workload} has no parameter {name:?}; it has {}", known.join(", ")));
        };
        self.values[index] = self.about.parameters[index]
            .values
            .parse(text)
            .map_err(|allowed| format!("{workload}: {name}={text:?} is out of range: {allowed}"))?;
        Ok(())
    }

    /// The value of a number.
    ///
    /// # Panics
    /// If the workload does not declare such a parameter: a mistake in the workload.
    pub fn number(&self, name: &str) -> u64 {
        let index = self.about.parameters.iter().position(|p| p.name == name);
        self.values[index.unwrap_or_else(|| panic!("{} does not declare {name}", self.about.name))]
    }

    /// The value of a number that sizes something in memory.
    ///
    /// # Panics
    /// Like [`Setup::number`]; and if the value exceeds the address space, which its range must exclude.
    pub fn size(&self, name: &str) -> usize {
        usize::try_from(self.number(name)).expect("the parameter's range fits the address space")
    }

    /// The chosen word.
    ///
    /// # Panics
    /// If the workload does not declare such a parameter with words: a mistake in the workload.
    pub fn choice(&self, name: &str) -> &'static str {
        let parameter = self.about.parameters.iter().find(|p| p.name == name);
        match parameter.map(|p| p.values) {
            Some(Values::Choice(words)) => words[self.size(name)],
            _ => panic!("{} does not declare the words of {name}", self.about.name),
        }
    }

    /// Every parameter with its value as it would be given.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (&'static str, impl fmt::Display + '_)> {
        self.about.parameters.iter().zip(self.values).map(|(p, value)| (p.name, p.values.show(value)))
    }
}

/// A named choice of workloads.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in a line.
    pub summary: &'static str,
    /// Its workloads, in the order in which they are to be measured: a name, or `name?parameter=value&parameter=value` where
    /// parameters differ from their defaults. No comma.
    pub workloads: &'static [&'static str],
}

/// The workloads that a worker offers, and what built-in features change them.
#[derive(Clone, Copy)]
pub struct Catalogue {
    /// The workloads, in the order in which they are listed.
    pub workloads: &'static [&'static dyn Workload],
    /// Named choices among them; `default` is what runs when nothing else is asked for, and all of them if there is none.
    pub sets: &'static [Set],
    /// What features of the libraries in them change the work, as found at run time: `serde_json: key order sorted`.
    pub features: fn(&mut dyn fmt::Write) -> fmt::Result,
}

impl Catalogue {
    /// The workload of this name.
    pub fn find(&self, name: &str) -> Option<&'static dyn Workload> {
        self.workloads.iter().copied().find(|w| w.about().name == name)
    }
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.workloads.iter().map(|w| w.about().name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static ABOUT: About = About {
        name: "test/one",
        summary: "",
        unit: "unit",
        details: "",
        parameters: &[
            Parameter::number("depth", 5, 1, 10, "levels"),
            Parameter::choice("shape", &["flat", "tall"], "how it looks"),
            Parameter::threads(),
        ],
    };

    #[test]
    fn defaults_then_what_is_set() {
        let mut setup = Setup::new(&ABOUT, 1);
        assert_eq!((setup.number("depth"), setup.choice("shape")), (5, "flat"));
        setup.set("depth", "10").unwrap();
        setup.set("shape", "tall").unwrap();
        assert_eq!((setup.number("depth"), setup.choice("shape")), (10, "tall"));
        let shown: Vec<_> = setup.shown().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(shown[..2], ["depth=10", "shape=tall"]);
    }

    #[test]
    fn a_wrong_value_is_an_error_that_says_what_is_allowed() {
        let mut setup = Setup::new(&ABOUT, 1);
        for (name, value, hint) in [
            ("depth", "0", "from 1 to 10"),
            ("depth", "11", "from 1 to 10"),
            ("depth", "-1", "from 1 to 10"),
            ("depth", "", "from 1 to 10"),
            ("depth", "99999999999999999999", "from 1 to 10"),
            ("shape", "round", "flat, tall"),
            ("width", "1", "depth, shape, threads"),
            ("threads", "0", "from 1 to 1024"),
        ] {
            let error = setup.set(name, value).unwrap_err();
            assert!(error.contains(hint) && error.contains("test/one"), "{error}");
        }
    }

    #[test]
    fn shares_add_up() {
        for lanes in 1..9 {
            for units in 0..40 {
                let shares: Vec<u64> = (0..lanes).map(|lane| Turn { units, lanes, lane }.share()).collect();
                assert_eq!(shares.iter().sum::<u64>(), units);
                assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
            }
        }
    }
}

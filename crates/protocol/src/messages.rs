//! The messages: one type per verb, written and read from one definition, so that both sides agree by construction.

use std::borrow::Cow;
use std::fmt;

use crate::line::{LineWriter, Message, ParseError};

/// A type that can be the value of a pair.
pub trait Field<'a>: Sized {
    /// Adds the pair to the line; an absent optional value adds nothing.
    fn put(&self, key: &str, line: &mut LineWriter);
    /// Reads the pair; fails if it is missing (unless optional) or malformed.
    fn get(message: &Message<'a>, key: &str) -> Result<Self, ParseError>;
}

impl<'a> Field<'a> for u64 {
    fn put(&self, key: &str, line: &mut LineWriter) {
        line.number(key, *self);
    }
    fn get(message: &Message<'a>, key: &str) -> Result<Self, ParseError> {
        message.number(key)
    }
}

impl<'a> Field<'a> for bool {
    fn put(&self, key: &str, line: &mut LineWriter) {
        line.number(key, u64::from(*self));
    }
    fn get(message: &Message<'a>, key: &str) -> Result<Self, ParseError> {
        match message.number(key)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(ParseError::new(format!("{key}={other} is neither 0 nor 1"))),
        }
    }
}

impl<'a> Field<'a> for Cow<'a, str> {
    fn put(&self, key: &str, line: &mut LineWriter) {
        line.text(key, self);
    }
    fn get(message: &Message<'a>, key: &str) -> Result<Self, ParseError> {
        message.text(key)
    }
}

impl<'a, T: Field<'a>> Field<'a> for Option<T> {
    fn put(&self, key: &str, line: &mut LineWriter) {
        if let Some(value) = self {
            value.put(key, line);
        }
    }
    fn get(message: &Message<'a>, key: &str) -> Result<Self, ParseError> {
        message.optional_text(key)?.map(|_| T::get(message, key)).transpose()
    }
}

/// A few numbers in one pair, separated by commas. They are kept in place, so that reading them allocates nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    values: [u64; Numbers::MOST],
    count: usize,
}

impl Numbers {
    /// How many there can be.
    pub const MOST: usize = 8;

    /// These numbers, without the zeros among them; nothing if they are too many.
    pub fn new(values: impl IntoIterator<Item = u64>) -> Option<Self> {
        let mut numbers = Self::default();
        for value in values.into_iter().filter(|value| *value > 0) {
            *numbers.values.get_mut(numbers.count)? = value;
            numbers.count += 1;
        }
        Some(numbers)
    }

    /// The numbers.
    pub fn as_slice(&self) -> &[u64] {
        &self.values[..self.count]
    }
}

/// None at all is written as 0, and a 0 is read as none.
impl<'a> Field<'a> for Numbers {
    fn put(&self, key: &str, line: &mut LineWriter) {
        let list = fmt::from_fn(|f| {
            let (first, others) = self.as_slice().split_first().unwrap_or((&0, &[]));
            write!(f, "{first}")?;
            others.iter().try_for_each(|other| write!(f, ",{other}"))
        });
        line.display(key, format_args!("{list}"));
    }
    fn get(message: &Message<'a>, key: &str) -> Result<Self, ParseError> {
        let text = message.text(key)?;
        let wrong = || ParseError::new(format!("{key}={text:?} is not up to {} numbers with commas", Self::MOST));
        let mut wanted = Self::default();
        for number in text.split(',') {
            let value: u64 = number.parse().map_err(|_| wrong())?;
            if value > 0 {
                *wanted.values.get_mut(wanted.count).ok_or_else(wrong)? = value;
                wanted.count += 1;
            }
        }
        Ok(wanted)
    }
}

/// A field whose values are a few fixed words.
macro_rules! words {
    ($(#[doc = $about:literal])* $name:ident { $($(#[doc = $doc:literal])* $variant:ident = $word:literal,)+ }) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[doc = $doc])* $variant,)+ }

        #[cfg(test)]
        impl $name {
            /// Every word with what it means, for the protocol's page.
            pub(crate) const WORDS: crate::page::Words = &[$(($word, &[$($doc),*])),+];
        }

        impl $name {
            /// The word on the line.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
            /// The value for a word, or nothing for an unknown one.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl<'a> Field<'a> for $name {
            fn put(&self, key: &str, line: &mut LineWriter) {
                line.text(key, self.word());
            }
            fn get(message: &Message<'a>, key: &str) -> Result<Self, ParseError> {
                let word = message.text(key)?;
                Self::from_word(&word).ok_or_else(|| ParseError::new(format!("{key}={word:?} is not one of {:?}", [$($word),+])))
            }
        }
    };
}

words! {
    /// How a worker knows that the allocator it names is the one that serves.
    Proof {
        /// The allocator's own interface recognised a block that came from the program's normal allocation path, or handed it out
        /// after the program had given it back.
        Api = "api",
        /// The dynamic linker says that `malloc` comes from the expected library.
        Symbol = "symbol",
        /// Linked in, and the C library's own counters do not move when the program allocates.
        Linked = "linked",
        /// No proof. Such a worker is never measured.
        None = "none",
    }
}

words! {
    /// What a worker is for.
    WorkerKind {
        /// An allocator to be compared with others.
        Allocator = "allocator",
        /// It counts what is allocated: it is asked and never compared.
        Counter = "counter",
        /// It changes the work on purpose, to lose by a known amount: it is compared where it is named, by its counts and not by
        /// its checksums.
        Handicap = "handicap",
    }
}

words! {
    /// How an allocator fails a check of its soundness.
    Finding {
        /// It gave no memory where there is enough.
        Refused = "refused",
        /// It gave memory where there cannot be enough.
        Granted = "granted",
        /// A block lies at an address that its alignment does not allow.
        Misaligned = "misaligned",
        /// Memory that was to be zeroed is not.
        Dirty = "dirty",
        /// Two live blocks share bytes.
        Overlap = "overlap",
        /// A live block does not hold what was written to it.
        Corrupt = "corrupt",
        /// Memory of blocks that were given back is never used again.
        Leaks = "leaks",
        /// Memory is not given back to the kernel although it was asked for.
        Retained = "retained",
        /// The process ends.
        Aborts = "aborts",
        /// A call does not return.
        Hangs = "hangs",
    }
}

words! {
    /// What values a parameter takes.
    ParameterKind {
        /// A whole number between `min` and `max`.
        Number = "number",
        /// One of a few words, in `choices`, separated by commas.
        Choice = "choice",
    }
}

words! {
    /// A point in a sample's life at which memory is read.
    PhaseName {
        /// The work is done, everything it keeps is still alive.
        Worked = "worked",
        /// Everything was dropped.
        Drained = "drained",
        /// A quiet time has passed in which nobody called the allocator.
        Settled = "settled",
    }
}

macro_rules! messages {
    ($(
        $(#[doc = $about:literal])*
        $name:ident$(<$life:lifetime>)? = $verb:literal { $($(#[doc = $doc:literal])* $field:ident: $type:ty,)* }
    )+) => {
        /// The verbs, as they stand at the start of a line.
        pub mod verb {
            $(#[doc = concat!("The verb of [`", stringify!($name), "`](super::", stringify!($name), ").")]
            #[expect(non_upper_case_globals, reason = "named as the type it belongs to")]
            pub const $name: &str = $verb;)+
            /// Ends the worker's greeting.
            pub const READY: &str = "ready";
            /// Asks for the catalogue of workloads.
            pub const CATALOGUE: &str = "catalogue";
            /// Asks for the checks of soundness, and for the limits that the allocator is known to have.
            pub const CHECKS: &str = "checks";
            /// Ends the catalogue, and the list of checks.
            pub const END: &str = "end";
            /// Tells the worker to exit.
            pub const QUIT: &str = "quit";
        }
        $(
            $(#[doc = $about])*
            #[derive(Clone, Debug, PartialEq, Eq)]
            pub struct $name$(<$life>)? { $($(#[doc = $doc])* pub $field: $type,)* }

            impl$(<$life>)? $name$(<$life>)? {
                /// Begins a line with this message; further pairs may be added before it is finished.
                pub fn write<'line>(&self, line: &'line mut LineWriter) -> &'line mut LineWriter {
                    line.start($verb);
                    $(Field::put(&self.$field, stringify!($field), line);)*
                    line
                }
            }

            messages!(@read $name$(<$life>)? { $($field,)* });
        )+

        /// Every message with its fields, for the protocol's page.
        #[cfg(test)]
        pub(crate) const MESSAGES: &[crate::page::Described] = &[$(crate::page::Described {
            verb: $verb,
            about: &[$($about),*],
            fields: &[$((stringify!($field), stringify!($type), &[$($doc),*])),*],
        }),+];
    };
    (@read $name:ident<$life:lifetime> { $($field:ident,)* }) => {
        impl<$life> $name<$life> {
            /// Reads the message from a line with its verb; fails naming the first pair that is missing or malformed.
            pub fn read(message: &Message<$life>) -> Result<Self, ParseError> {
                Ok(Self { $($field: Field::get(message, stringify!($field))?,)* })
            }
        }
    };
    (@read $name:ident { $($field:ident,)* }) => {
        impl $name {
            /// Reads the message from a line with its verb; fails naming the first pair that is missing or malformed.
            pub fn read(message: &Message<'_>) -> Result<Self, ParseError> {
                Ok(Self { $($field: Field::get(message, stringify!($field))?,)* })
            }
        }
    };
}

/// What stands before a parameter's name in the keys of [`Prepare`] and [`Prepared`].
pub const PARAMETER_PREFIX: &str = "param:";

messages! {
    /// The worker introduces itself and its allocator.
    Hello<'a> = "hello" {
        /// The version of this protocol that the worker speaks.
        protocol: u64,
        /// The backend's name, such as `jemalloc`.
        name: Cow<'a, str>,
        /// The crate that provides the allocator; empty where there is none.
        crate_name: Cow<'a, str>,
        /// That crate's version.
        crate_version: Cow<'a, str>,
        /// The version of the allocator itself, asked of it at run time where it can tell.
        upstream_version: Cow<'a, str>,
        /// The licence of the allocator and its crate, as an SPDX expression.
        licence: Cow<'a, str>,
        /// The methods of `GlobalAlloc` that the allocator's wrapper forwards itself, separated by commas; the others fall back on these.
        forwards: Cow<'a, str>,
        /// How well it is proved that this allocator serves.
        proof: Proof,
        /// What exactly was seen, for a reader.
        proof_detail: Cow<'a, str>,
        /// Cargo's profile, optimisation level and compiler, for a reader.
        build: Cow<'a, str>,
        /// Whether the worker, or the native library in it, is a debug build: with assertions, or not optimised.
        debug_build: bool,
        /// What features of its libraries change the work.
        features: Cow<'a, str>,
        /// Resident memory at the greeting, in bytes; absent where it cannot be read.
        start_rss: Option<u64>,
        /// What the worker is for.
        kind: WorkerKind,
    }

    /// One setting of the allocator, made through the environment before the worker starts.
    Knob<'a> = "knob" {
        /// The name in `NAME@knob:value`.
        name: Cow<'a, str>,
        /// The environment variable that carries it.
        variable: Cow<'a, str>,
        /// The variable's content for one knob; `{}` stands for the value.
        template: Cow<'a, str>,
        /// What joins several knobs that share a variable; absent where they cannot share it.
        joiner: Option<Cow<'a, str>>,
        /// The value in force, as the worker reads it back.
        value: Cow<'a, str>,
        /// Whether the allocator itself told the value; otherwise the worker only saw the variable in its environment.
        confirmed: bool,
    }

    /// One workload of the worker's catalogue.
    Workload<'a> = "workload" {
        /// The name, `family/name`.
        name: Cow<'a, str>,
        /// What it does, in a line.
        summary: Cow<'a, str>,
        /// What one unit is, in the singular.
        unit: Cow<'a, str>,
        /// What it stresses, what to read from it, where it comes from: a paragraph.
        details: Cow<'a, str>,
        /// For a workload about memory over time: after how much quiet time, in milliseconds, its memory is worth reading once
        /// everything was dropped. Absent for others.
        settle_ms: Option<Numbers>,
    }

    /// A named set of workloads, for those who do not want to choose.
    Set<'a> = "set" {
        /// Its name, such as `default`.
        name: Cow<'a, str>,
        /// What it is for, in a line.
        summary: Cow<'a, str>,
        /// Its workloads, separated by commas, in the order in which they are to be measured; `name?parameter=value&parameter=value`
        /// where parameters differ from their defaults.
        workloads: Cow<'a, str>,
    }

    /// One parameter of a workload.
    Parameter<'a> = "parameter" {
        /// The workload it belongs to.
        workload: Cow<'a, str>,
        /// Its name.
        name: Cow<'a, str>,
        /// What it sets, in a line.
        summary: Cow<'a, str>,
        /// Numbers or words.
        kind: ParameterKind,
        /// The value if none is given.
        default: Cow<'a, str>,
        /// The least number; 0 for words.
        min: u64,
        /// The greatest number; 0 for words.
        max: u64,
        /// The words, separated by commas; empty for numbers.
        choices: Cow<'a, str>,
    }

    /// One check of the allocator's soundness that the worker can make.
    Check<'a> = "check" {
        /// Its name.
        name: Cow<'a, str>,
        /// What it asks of an allocator, in a line.
        summary: Cow<'a, str>,
    }

    /// A check that the allocator is known to fail, and how.
    Limit<'a> = "limit" {
        /// The check's name.
        check: Cow<'a, str>,
        /// How it fails.
        finding: Finding,
        /// From where on, and why.
        reason: Cow<'a, str>,
    }

    /// Asks the worker to make one check.
    Verify<'a> = "verify" {
        /// The check's name.
        check: Cow<'a, str>,
    }

    /// What a check came to. It passed where there is no finding and it was not skipped.
    Verified<'a> = "verified" {
        /// How the allocator failed; absent where it did not.
        finding: Option<Finding>,
        /// Whether the check was not made, since it does not apply: `detail` says why.
        skipped: bool,
        /// What was found, with numbers; of a check that passed, what there is to say.
        detail: Cow<'a, str>,
    }

    /// Asks the worker to make a workload ready. Parameters follow as `param:NAME=VALUE`.
    Prepare<'a> = "prepare" {
        /// The workload's name.
        workload: Cow<'a, str>,
        /// The seed of everything random in it.
        seed: u64,
    }

    /// The workload is ready. Every parameter follows as `param:NAME=VALUE`, defaults included.
    Prepared = "prepared" {
        /// Wall time that the preparation took.
        prepare_ns: u64,
        /// Threads that do the work.
        lanes: u64,
        /// Units that a turn should have at least, where fewer say little; absent for one per thread.
        least_units: Option<u64>,
        /// Resident memory now, before the work; absent where it cannot be read.
        base_rss: Option<u64>,
        /// Whether the kernel's peak was reset; if not, the peak includes the preparation.
        peak_reset: bool,
    }

    /// Asks the worker, in the place of `prepare`, to make a workload ready as a server that others put under load. Parameters follow as
    /// `param:NAME=VALUE`.
    Serve<'a> = "serve" {
        /// The workload's name.
        workload: Cow<'a, str>,
        /// The seed of everything random in it.
        seed: u64,
        /// Where to listen, such as `127.0.0.1:8080`; with port 0, on a free one.
        listen: Cow<'a, str>,
        /// A file to write the body of a request to, which is empty where a request has none.
        request_file: Option<Cow<'a, str>>,
        /// A file to write the body of the right answer to.
        answer_file: Option<Cow<'a, str>>,
    }

    /// The server listens. Every parameter follows as `param:NAME=VALUE`, defaults included.
    Serving<'a> = "serving" {
        /// Wall time that the preparation took.
        prepare_ns: u64,
        /// Where it listens, with the port that it has.
        address: Cow<'a, str>,
        /// How it is asked: `GET` or `POST`.
        method: Cow<'a, str>,
        /// What it is asked for, with the slash.
        path: Cow<'a, str>,
        /// The type of the bodies.
        content_type: Cow<'a, str>,
        /// Resident memory now, before any request; absent where it cannot be read.
        base_rss: Option<u64>,
        /// Whether the kernel's peak was reset; if not, the peak includes the preparation.
        peak_reset: bool,
    }

    /// Asks for one timed turn.
    Turn = "turn" {
        /// Units to do, over all threads.
        units: u64,
    }

    /// What one turn took.
    Turned = "turned" {
        /// Units done.
        count: u64,
        /// Checksum of their results.
        checksum: u64,
        /// Wall time; a turn that took none is an error.
        wall_ns: u64,
        /// Time of all threads in user mode.
        user_ns: u64,
        /// Time of all threads in the kernel.
        system_ns: u64,
        /// CPU time that the process used between the last turn (or the preparation) and this one.
        idle_cpu_ns: u64,
        /// Page faults served without reading from a disk.
        minor_faults: u64,
        /// Page faults that had to read.
        major_faults: u64,
        /// Times that a thread gave the processor away.
        voluntary_switches: u64,
        /// Times that a thread had the processor taken away.
        involuntary_switches: u64,
        /// Calls that obtained, resized or gave back memory; only from a counting allocator.
        calls: Option<u64>,
        /// Bytes requested, by fresh blocks and by resized ones; only from a counting allocator.
        requested: Option<u64>,
        /// Resident memory after the turn, read outside of what is timed; absent where it cannot be read.
        rss: Option<u64>,
    }

    /// Asks for the peak, and to drop everything if that is of interest.
    Finish = "finish" {
        /// Whether to drop everything and to read memory again. If not, the worker leaves its heap to the kernel: a sample
        /// that is there for its time need not spend more of it.
        drain: bool,
        /// After how much quiet time since the drop memory is read again, in milliseconds and ascending; 0 for not at all.
        settle_ms: Numbers,
    }

    /// Memory at the end of a phase, from the kernel's `smaps_rollup`. A field that the kernel lacks is absent.
    Phase = "phase" {
        /// Which phase ended.
        name: PhaseName,
        /// The quiet time since the drop, in milliseconds; only of `settled`, of which there can be several.
        settled_ms: Option<u64>,
        /// Resident bytes.
        rss: Option<u64>,
        /// Resident bytes that belong to no file.
        anonymous: Option<u64>,
        /// Bytes given back with `MADV_FREE` that the kernel has not taken yet; they count in `rss`.
        lazy_free: Option<u64>,
        /// Bytes written to and shared with nobody.
        private_dirty: Option<u64>,
        /// Anonymous bytes in huge pages.
        huge: Option<u64>,
    }

    /// What the requests of a sample came to, as whoever made them saw it: over all turns but the first, which warms up. Only from
    /// a workload that serves requests.
    Latency = "latency" {
        /// Requests that were made, those that failed included.
        count: u64,
        /// Whether latency counts from when a request was due, at a fixed rate; if not, from when it was sent, which was once the
        /// one before it on its connection was answered.
        open_loop: bool,
        /// The least latency of a request that was answered.
        min_ns: u64,
        /// The mean.
        mean_ns: u64,
        /// The standard deviation.
        sd_ns: u64,
        /// The latency within which 50 % were answered.
        p50_ns: u64,
        /// Within which 66 % were.
        p66_ns: u64,
        /// Within which 75 % were.
        p75_ns: u64,
        /// Within which 80 % were.
        p80_ns: u64,
        /// Within which 90 % were.
        p90_ns: u64,
        /// Within which 95 % were.
        p95_ns: u64,
        /// Within which 98 % were.
        p98_ns: u64,
        /// Within which 99 % were.
        p99_ns: u64,
        /// Within which 99.9 % were.
        p999_ns: u64,
        /// The greatest.
        max_ns: u64,
        /// Bytes sent to the server.
        sent_bytes: u64,
        /// Bytes received from it.
        received_bytes: u64,
        /// Connections that were open at once.
        connections: u64,
        /// Requests that failed since no connection was to be had.
        errors_refused: u64,
        /// That failed since the connection was reset.
        errors_reset: u64,
        /// That were not answered in time.
        errors_timeout: u64,
        /// That were answered by another status than the expected one.
        errors_status: u64,
        /// That were answered by another body.
        errors_body: u64,
        /// Whose answer ended too early.
        errors_truncated: u64,
        /// Whose answer could not be understood.
        errors_protocol: u64,
        /// User time of whoever made the requests; absent where it is not known.
        user_ns: Option<u64>,
        /// Its system time.
        system_ns: Option<u64>,
    }

    /// The sample is over.
    Outcome = "result" {
        /// Units done in all turns.
        count: u64,
        /// The checksums of all turns, combined.
        checksum: u64,
        /// Peak resident memory of the work; absent where it cannot be read.
        peak_rss: Option<u64>,
        /// Peak of live requested bytes since the preparation; only from a counting allocator.
        peak_live: Option<u64>,
    }

    /// The worker could not do what was asked, and exits.
    Failure<'a> = "error" {
        /// What was tried, on what, and why it failed.
        message: Cow<'a, str>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(write: impl FnOnce(&mut LineWriter)) -> Vec<u8> {
        let mut writer = LineWriter::new();
        write(&mut writer);
        let mut line = writer.finish().to_vec();
        line.pop();
        line
    }

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let turned = Turned {
            count: 12,
            checksum: u64::MAX,
            wall_ns: 10,
            user_ns: 9,
            system_ns: 1,
            idle_cpu_ns: 0,
            minor_faults: 3,
            major_faults: 0,
            voluntary_switches: 1,
            involuntary_switches: 0,
            calls: None,
            requested: Some(4096),
            rss: None,
        };
        let line = line_of(|l| {
            turned.write(l);
        });
        let message = Message::parse(&line).unwrap();
        assert_eq!(message.verb(), verb::Turned);
        assert_eq!(Turned::read(&message), Ok(turned));
    }

    #[test]
    fn a_few_numbers_share_a_pair() {
        let read = |text: &str| {
            let line = format!("finish drain=1 settle_ms={text}");
            let message = Message::parse(line.as_bytes()).unwrap();
            Finish::read(&message).map(|finish| finish.settle_ms)
        };
        for (text, values, written) in
            [("500,5000,15000", &[500, 5000, 15000][..], "500,5000,15000"), ("0", &[], "0"), ("0,7", &[7], "7")]
        {
            let numbers = read(text).unwrap();
            assert_eq!(numbers.as_slice(), values, "{text}");
            assert_eq!(Numbers::new(values.iter().copied()), Some(numbers));
            let line = line_of(|line| {
                Finish { drain: true, settle_ms: numbers }.write(line);
            });
            assert_eq!(line, format!("finish drain=1 settle_ms={written}").as_bytes());
        }
        for wrong in ["", "1,", "x", "-1", "1;2", "1,2,3,4,5,6,7,8,9"] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(Numbers::new(1..=9), None);
    }

    #[test]
    fn a_check_that_passed_has_no_finding_on_the_line() {
        for (finding, word) in [(None, None), (Some(Finding::Overlap), Some("overlap"))] {
            let verified = Verified { finding, skipped: false, detail: "8 of 64 bytes".into() };
            let line = line_of(|l| {
                verified.write(l);
            });
            let message = Message::parse(&line).unwrap();
            assert_eq!(message.optional_text("finding").unwrap().as_deref(), word);
            assert_eq!(Verified::read(&message), Ok(verified));
        }
    }

    #[test]
    fn pairs_of_a_newer_worker_are_ignored() {
        let message = Message::parse(b"turn units=5 colour=blue").unwrap();
        assert_eq!(Turn::read(&message), Ok(Turn { units: 5 }));
    }

    #[test]
    fn a_missing_pair_is_named() {
        let message = Message::parse(b"turn").unwrap();
        assert_eq!(Turn::read(&message).unwrap_err().to_string(), "`turn` lacks units=");
    }

    #[test]
    fn a_word_that_is_not_known_is_named() {
        let message = Message::parse(b"phase name=lunch").unwrap();
        let error = Phase::read(&message).unwrap_err().to_string();
        assert!(error.contains("lunch") && error.contains("drained"), "{error}");
    }
}

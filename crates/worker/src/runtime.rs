//! The life of a worker: greet, prepare, take turns, finish.

use std::fmt::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use heapmark_protocol::{
    Failure, Field, Finish, Latency, LineWriter, MAX_LINE, Message, Numbers, Outcome, PARAMETER_PREFIX, ParameterKind,
    ParseError, Phase, PhaseName, Prepare, Prepared, Proof, Serve, Text, VERSION, WorkerKind, verb,
};

use crate::channel::{Closed, LineReader, send};
use crate::clock::{Reading, monotonic_ns};
use crate::identity::{Counting, Identity, ReadBack, TestBlock};
use crate::lanes::{Team, with_team};
use crate::memory::{reset_peak, resident, rollup};
use crate::serving::{Offer, Serving};
use crate::workload::{Catalogue, Job, Setup, Tally, Values, Workload};
use crate::{build_info, soundness, workload};

/// Asks the kernel to kill this process when the thread that started it ends, so that no worker outlives its harness,
/// whatever state it is in. [`worker!`](crate::worker) runs it before `main`.
pub extern "C" fn die_with_parent() {
    // SAFETY: prctl with PR_SET_PDEATHSIG takes a signal number and touches no memory.
    #[expect(unsafe_code, reason = "prctl(2) has no safe wrapper here")]
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

/// Why a worker stops.
pub(crate) enum Stop {
    /// The harness said so, or is gone.
    Quietly,
    /// Something could not be done; the line is for the user.
    Error(String),
}

impl From<Closed> for Stop {
    fn from(closed: Closed) -> Self {
        match closed {
            Closed::EndOfFile => Self::Quietly,
            Closed::TooLong => Self::Error(format!("a request is longer than {MAX_LINE} bytes")),
        }
    }
}

impl From<ParseError> for Stop {
    fn from(error: ParseError) -> Self {
        Self::Error(error.to_string())
    }
}

/// Runs the worker until the harness has done with it. This is the `main` that [`worker!`](crate::worker) makes.
pub fn run(identity: &Identity, catalogue: &Catalogue) -> ExitCode {
    let mut session = Session { identity, catalogue, reader: LineReader::new(), line: LineWriter::new() };
    match session.converse() {
        Ok(()) | Err(Stop::Quietly) => ExitCode::SUCCESS,
        Err(Stop::Error(message)) => {
            let failure = Failure { message: message.into() };
            // Nobody is left to tell if this fails too.
            let _ = send(failure.write(&mut session.line).finish());
            ExitCode::FAILURE
        }
    }
}

struct Session<'a> {
    identity: &'a Identity,
    catalogue: &'a Catalogue,
    reader: LineReader,
    line: LineWriter,
}

impl Session<'_> {
    fn converse(&mut self) -> Result<(), Stop> {
        self.greet()?;
        loop {
            let message = Message::parse(self.reader.next()?)?;
            match message.verb() {
                verb::CATALOGUE => list(self.catalogue, &mut self.line)?,
                verb::CHECKS => soundness::list(self.identity, &mut self.line)?,
                verb::Verify => soundness::verify(self.identity, &message, &mut self.line)?,
                verb::Prepare => {
                    let begun = monotonic_ns();
                    let (setup, job) = prepare(self.catalogue, &message)?;
                    return self.measure(begun, &setup, job);
                }
                verb::Serve => {
                    let begun = monotonic_ns();
                    let (setup, serving, offer) = serve(self.catalogue, &message)?;
                    return self.attend(begun, &setup, serving, &offer);
                }
                verb::QUIT => return Ok(()),
                other => return Err(Stop::Error(format!("`{other}` is not expected before `prepare`"))),
            }
        }
    }

    /// Says who this is, with proof and with every knob as it is in force.
    fn greet(&mut self) -> Result<(), Stop> {
        let identity = self.identity;
        let start_rss = resident().now;
        let mut detail = Text::<512>::new();
        let proof = {
            let block = TestBlock::new();
            (identity.proof)(&block, &mut detail)
        };
        let line = &mut self.line;
        line.start(verb::Hello).number("protocol", VERSION).text("name", identity.name);
        line.text("crate_name", identity.crate_name).text("crate_version", identity.crate_version);
        line.display("upstream_version", format_args!("{}", fmt::from_fn(|f| (identity.upstream_version)(f))));
        line.text("licence", identity.licence).text("forwards", identity.forwards);
        Proof::put(&proof, "proof", line);
        line.text("proof_detail", detail.as_str());
        line.display("build", format_args!("{}", build_info::describe(identity.native_flags)));
        Field::put(&(build_info::DEBUG || (identity.debug_build)()), "debug_build", line);
        line.display("features", format_args!("{}", fmt::from_fn(|f| (self.catalogue.features)(f))));
        Field::put(&start_rss, "start_rss", line);
        WorkerKind::put(&kind(identity, self.catalogue), "kind", line);
        send(line.finish())?;
        for knob in identity.knobs {
            line.start(verb::Knob)
                .text("name", knob.name)
                .text("variable", knob.variable)
                .text("template", knob.template);
            if let Some(joiner) = knob.joiner {
                line.text("joiner", joiner);
            }
            match knob.read {
                ReadBack::Allocator(read) => {
                    line.display("value", format_args!("{}", fmt::from_fn(|f| read(f)))).number("confirmed", 1);
                }
                ReadBack::Environment => {
                    let value = std::env::var(knob.variable).unwrap_or_default();
                    line.text("value", &value).number("confirmed", 0);
                }
            }
            send(line.finish())?;
        }
        send(line.start(verb::READY).finish())?;
        Ok(())
    }

    /// Runs a prepared job until the harness asks for the end.
    fn measure(&mut self, begun: u64, setup: &Setup<'_>, job: Box<dyn Job>) -> Result<(), Stop> {
        let mut sample = Sample { counting: self.identity.counting, total: Tally::default() };
        let moments = with_team(&*job, |team| -> Result<Numbers, Stop> {
            sample.announce(begun, setup, &*job, &mut self.line)?;
            let finish = sample.take_turns(&*job, team, &mut self.reader, &mut self.line)?;
            // The peak is read before the drop, and the drop happens when this team ends.
            sample.outcome(&*job, &mut self.line)?;
            if finish.drain {
                return Ok(finish.settle_ms);
            }
            send(self.line.finish())?;
            expect_quit(&mut self.reader)?;
            leave()
        })?;
        drop(job);
        self.settle(moments)
    }

    /// Lets a server serve until the harness asks for the end.
    fn attend(&mut self, begun: u64, setup: &Setup<'_>, serving: Box<dyn Serving>, offer: &Offer) -> Result<(), Stop> {
        let counting = self.identity.counting;
        let peak_reset = reset_peaks(counting);
        let address = Text::<64>::of(format_args!("{}", offer.address));
        let serves = heapmark_protocol::Serving {
            prepare_ns: monotonic_ns() - begun,
            address: address.as_str().into(),
            method: offer.method.into(),
            path: offer.path.into(),
            content_type: offer.content_type.into(),
            base_rss: resident().now,
            peak_reset,
        };
        serves.write(&mut self.line);
        put_parameters(setup, &mut self.line);
        send(self.line.finish())?;
        let message = Message::parse(self.reader.next()?)?;
        let finish = match message.verb() {
            verb::Finish => Finish::read(&message)?,
            verb::QUIT => return Err(Stop::Quietly),
            other => return Err(Stop::Error(format!("`{other}` is not expected while it serves"))),
        };
        let (peak_rss, peak_live) = peaks(counting);
        send_phase(&mut self.line, PhaseName::Worked, None)?;
        Outcome { count: serving.answered(), checksum: 0, peak_rss, peak_live }.write(&mut self.line);
        if !finish.drain {
            send(self.line.finish())?;
            expect_quit(&mut self.reader)?;
            leave()
        }
        drop(serving);
        self.settle(finish.settle_ms)
    }

    /// Reads memory once everything was dropped, and after quiet times; then sends the result, which is in the line by now.
    fn settle(&mut self, moments: Numbers) -> Result<(), Stop> {
        let mut peak_line = LineWriter::new();
        std::mem::swap(&mut peak_line, &mut self.line);
        let drained = Instant::now();
        send_phase(&mut self.line, PhaseName::Drained, None)?;
        for &moment in moments.as_slice() {
            std::thread::sleep(Duration::from_millis(moment).saturating_sub(drained.elapsed()));
            send_phase(&mut self.line, PhaseName::Settled, Some(moment))?;
        }
        send(peak_line.finish())?;
        expect_quit(&mut self.reader)
    }
}

/// What the worker is for. A counter is asked about whatever work it offers.
fn kind(identity: &Identity, catalogue: &Catalogue) -> WorkerKind {
    match identity.counting {
        Some(_) => WorkerKind::Counter,
        None if catalogue.workloads.iter().any(|workload| workload.is_handicapped()) => WorkerKind::Handicap,
        None => WorkerKind::Allocator,
    }
}

fn expect_quit(reader: &mut LineReader) -> Result<(), Stop> {
    let message = Message::parse(reader.next()?)?;
    match message.verb() {
        verb::QUIT => Ok(()),
        other => Err(Stop::Error(format!("`{other}` is not expected after `finish`"))),
    }
}

/// Ends the process at once: nothing is dropped, and no handler runs that an allocator may have left.
fn leave() -> ! {
    // SAFETY: _exit(2) takes a number and does not return.
    #[expect(unsafe_code, reason = "std::process::exit runs handlers; this must not")]
    unsafe {
        libc::_exit(0)
    }
}

/// Finds the workload that `prepare` asks for and makes it ready.
fn prepare(catalogue: &Catalogue, message: &Message<'_>) -> Result<(Setup<'static>, Box<dyn Job>), Stop> {
    let request = Prepare::read(message)?;
    let (workload, setup) = set_up(catalogue, &request.workload, request.seed, message)?;
    let job = workload.prepare(&setup).map_err(Stop::Error)?;
    Ok((setup, job))
}

/// Finds the workload that `serve` asks for and makes it a server. The bodies go into the files that were named for them, and no
/// further.
fn serve(catalogue: &Catalogue, message: &Message<'_>) -> Result<(Setup<'static>, Box<dyn Serving>, Offer), Stop> {
    let request = Serve::read(message)?;
    let no_address = |_| Stop::Error(format!("{:?} is no address to listen on", request.listen));
    let listen: SocketAddr = request.listen.parse().map_err(no_address)?;
    let (workload, setup) = set_up(catalogue, &request.workload, request.seed, message)?;
    let (serving, mut offer) = workload.serve(&setup, listen).map_err(Stop::Error)?;
    for (file, body) in [
        (request.request_file, std::mem::take(&mut offer.request)),
        (request.answer_file, std::mem::take(&mut offer.answer)),
    ] {
        let Some(file) = file else { continue };
        std::fs::write(&*file, body).map_err(|error| Stop::Error(format!("cannot write {file}: {error}")))?;
    }
    Ok((setup, serving, offer))
}

/// The workload of this name, and its parameters as the message has them.
fn set_up(
    catalogue: &Catalogue,
    name: &str,
    seed: u64,
    message: &Message<'_>,
) -> Result<(&'static dyn Workload, Setup<'static>), Stop> {
    let workload = catalogue.find(name).ok_or_else(|| {
        let names: Vec<_> = catalogue.workloads.iter().map(|w| w.about().name).collect();
        Stop::Error(format!("no workload is named {name:?}; there are {}", names.join(", ")))
    })?;
    let mut setup = Setup::new(workload.about(), seed);
    for pair in message.pairs() {
        let (key, value) = pair?;
        if let Some(name) = key.strip_prefix(PARAMETER_PREFIX) {
            setup.set(name, &value).map_err(Stop::Error)?;
        }
    }
    Ok((workload, setup))
}

/// Adds every parameter as it is in force to the line.
fn put_parameters(setup: &Setup<'_>, line: &mut LineWriter) {
    let mut key = Text::<512>::new();
    for (name, value) in setup.shown() {
        key.clear();
        let _ = write!(key, "{PARAMETER_PREFIX}{name}");
        line.display(key.as_str(), format_args!("{value}"));
    }
}

/// Makes the peaks start from here. Whether the kernel's did.
fn reset_peaks(counting: Option<Counting>) -> bool {
    let peak_reset = reset_peak();
    if let Some(counting) = counting {
        (counting.reset_peak)();
    }
    peak_reset
}

/// The peaks of resident memory and, from a counting allocator, of live bytes.
fn peaks(counting: Option<Counting>) -> (Option<u64>, Option<u64>) {
    let peak_live = counting.map(|counting| (counting.read)().peak_live);
    let resident = resident();
    // The kernel batches its counters, so that the peak can lag a little behind what is resident now.
    (resident.peak.max(resident.now), peak_live)
}

/// What is kept over the turns of one sample.
struct Sample {
    counting: Option<Counting>,
    total: Tally,
}

impl Sample {
    /// Tells the harness that the job is ready, and makes the peaks start from here.
    fn announce(&self, begun: u64, setup: &Setup<'_>, job: &dyn Job, line: &mut LineWriter) -> Result<(), Stop> {
        let peak_reset = reset_peaks(self.counting);
        let prepared = Prepared {
            prepare_ns: monotonic_ns() - begun,
            lanes: job.lanes() as u64,
            least_units: Some(job.least_units()).filter(|units| *units > 1),
            base_rss: resident().now,
            peak_reset,
        };
        prepared.write(line);
        put_parameters(setup, line);
        send(line.finish())?;
        Ok(())
    }

    /// Takes turns until the harness asks for the end.
    fn take_turns(
        &mut self,
        job: &dyn Job,
        team: &mut Team<'_>,
        reader: &mut LineReader,
        line: &mut LineWriter,
    ) -> Result<Finish, Stop> {
        let mut last = Reading::after();
        loop {
            let message = Message::parse(reader.next()?)?;
            match message.verb() {
                verb::Turn => {
                    let units = heapmark_protocol::Turn::read(&message)?.units;
                    let counted = self.counting.map(|counting| (counting.read)());
                    let (before, after, tally) = team.turn(units);
                    if let Some(why) = job.failure() {
                        return Err(Stop::Error(why));
                    }
                    let idle_cpu_ns = before.cpu_ns().saturating_sub(last.cpu_ns());
                    let rss = resident().now;
                    // What the probe costs belongs neither to this turn nor to the time between turns.
                    last = Reading::after();
                    let spent = after.since(&before);
                    let counted = counted.zip(self.counting.map(|counting| (counting.read)()));
                    self.total = self.total.combined(tally);
                    let turned = heapmark_protocol::Turned {
                        count: tally.count,
                        checksum: tally.checksum,
                        wall_ns: spent.wall_ns,
                        user_ns: spent.user_ns,
                        system_ns: spent.system_ns,
                        idle_cpu_ns,
                        minor_faults: spent.minor_faults,
                        major_faults: spent.major_faults,
                        voluntary_switches: spent.voluntary_switches,
                        involuntary_switches: spent.involuntary_switches,
                        calls: counted.map(|(before, after)| after.calls - before.calls),
                        requested: counted.map(|(before, after)| after.requested - before.requested),
                        rss,
                    };
                    send(turned.write(line).finish())?;
                }
                verb::Finish => return Ok(Finish::read(&message)?),
                verb::QUIT => return Err(Stop::Quietly),
                other => return Err(Stop::Error(format!("`{other}` is not expected between turns"))),
            }
        }
    }

    /// Reads the peak while everything is still alive, and leaves the result in `line`, to be sent last.
    fn outcome(&self, job: &dyn Job, line: &mut LineWriter) -> Result<(), Stop> {
        let (peak_rss, peak_live) = peaks(self.counting);
        send_phase(line, PhaseName::Worked, None)?;
        if let Some(requests) = job.requests().map_err(Stop::Error)? {
            send(Latency::from(requests).write(line).finish())?;
        }
        Outcome { count: self.total.count, checksum: self.total.checksum, peak_rss, peak_live }.write(line);
        Ok(())
    }
}

fn send_phase(line: &mut LineWriter, name: PhaseName, settled_ms: Option<u64>) -> Result<(), Stop> {
    let memory = rollup();
    let phase = Phase {
        name,
        settled_ms,
        rss: memory.rss,
        anonymous: memory.anonymous,
        lazy_free: memory.lazy_free,
        private_dirty: memory.private_dirty,
        huge: memory.huge,
    };
    send(phase.write(line).finish())?;
    Ok(())
}

/// Lists the catalogue.
fn list(catalogue: &Catalogue, line: &mut LineWriter) -> Result<(), Stop> {
    for workload in catalogue.workloads {
        let about = workload.about();
        line.start(verb::Workload).text("name", about.name).text("summary", about.summary);
        line.text("unit", about.unit).text("details", about.details);
        // A workload that names too many moments is one without a hint.
        let moments = Numbers::new(workload.settle_ms().iter().copied());
        Field::put(&moments.filter(|moments| !moments.as_slice().is_empty()), "settle_ms", line);
        send(line.finish())?;
        for parameter in about.parameters {
            list_parameter(about.name, parameter, line)?;
        }
    }
    for set in catalogue.sets {
        line.start(verb::Set).text("name", set.name).text("summary", set.summary);
        send(line.display("workloads", format_args!("{}", joined(set.workloads))).finish())?;
    }
    send(line.start(verb::END).finish())?;
    Ok(())
}

/// Words with commas between them.
fn joined<'a>(words: &'a [&'a str]) -> impl fmt::Display + 'a {
    fmt::from_fn(move |f| {
        words.iter().enumerate().try_for_each(|(i, word)| write!(f, "{}{word}", if i > 0 { "," } else { "" }))
    })
}

fn list_parameter(workload: &str, parameter: &workload::Parameter, line: &mut LineWriter) -> Result<(), Stop> {
    let values = &parameter.values;
    line.start(verb::Parameter)
        .text("workload", workload)
        .text("name", parameter.name)
        .text("summary", parameter.summary);
    let (kind, words): (_, &[&str]) = match values {
        Values::Choice(words) => (ParameterKind::Choice, words),
        Values::Number { .. } | Values::Threads => (ParameterKind::Number, &[]),
    };
    ParameterKind::put(&kind, "kind", line);
    line.display("default", format_args!("{}", values.show(values.default_value())));
    let bound = |bound: u64| if words.is_empty() { bound } else { 0 };
    line.number("min", bound(values.min())).number("max", bound(values.max()));
    send(line.display("choices", format_args!("{}", joined(words))).finish())?;
    Ok(())
}

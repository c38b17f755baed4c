//! The protocol as the harness speaks it: each step of a sample is a method.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use heapmark_protocol::{
    Check, Failure, Finding, Finish, Hello, Knob, Latency, Limit, LineWriter, Message, Numbers, Outcome,
    PARAMETER_PREFIX, Parameter, ParameterKind, ParseError, Phase, Prepare, Prepared, Proof, Serve, Serving, Set, Turn,
    Turned, VERSION, Verified, Verify, WorkerKind, Workload, verb,
};

use super::answer::Answer;
use super::child::{Child, Limits};
use super::deadline::Deadline;
use super::launch::Launch;
use super::subject::Subject;
use crate::case::{Case, Catalogue, ParameterInfo, ParameterValues, SetInfo, WorkloadInfo};
use crate::verify::CheckInfo;
use crate::{Bytes, Cancel, Contender, HugePages, Settings, Status};

/// What a worker is started with, besides its program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start<'a> {
    /// How long each step may take.
    pub(crate) limits: Limits,
    /// Length of a variable that shifts the initial stack, so that layout varies between samples (Mytkowicz et al.,
    /// "Producing wrong data without doing anything obviously wrong", ASPLOS 2009).
    pub(crate) padding: usize,
    /// What is the same for all samples of the contender.
    pub(crate) launch: &'a Launch,
    /// Whether debug builds may be measured: for tests of the harness itself.
    pub(crate) allow_debug: bool,
    /// How much resident memory it may have.
    pub(crate) memory_limit: Option<Bytes>,
    /// Ends the worker when it is set.
    pub(crate) cancel: &'a Cancel,
}

impl<'a> Start<'a> {
    /// As the settings say.
    pub(crate) fn new(settings: &'a Settings, padding: usize, launch: &'a Launch) -> Self {
        let Settings { limits, allow_debug, memory_limit, cancel, .. } = settings;
        Self { limits: *limits, padding, launch, allow_debug: *allow_debug, memory_limit: *memory_limit, cancel }
    }
}

/// A worker's introduction, kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Greeting {
    pub(crate) name: String,
    pub(crate) crate_name: String,
    pub(crate) crate_version: String,
    pub(crate) upstream_version: String,
    pub(crate) licence: String,
    pub(crate) forwards: String,
    pub(crate) proof: Proof,
    pub(crate) proof_detail: String,
    pub(crate) build: String,
    pub(crate) features: String,
    pub(crate) start_rss: Option<u64>,
    pub(crate) kind: WorkerKind,
    pub(crate) knobs: Vec<KnobInfo>,
}

/// One knob as the worker describes it, with the value in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnobInfo {
    pub(crate) name: String,
    pub(crate) variable: String,
    pub(crate) template: String,
    pub(crate) joiner: Option<String>,
    pub(crate) value: String,
    pub(crate) confirmed: bool,
}

/// A worker that has introduced itself.
#[derive(Debug)]
pub(crate) struct Conversation {
    child: Child,
    line: Box<LineWriter>,
    limits: Limits,
    greeting: Greeting,
}

/// What comes back from a finished sample.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    pub(crate) outcome: Outcome,
    pub(crate) phases: Vec<Phase>,
    /// What the requests came to, of a workload that serves some.
    pub(crate) latency: Option<Latency>,
}

/// Where a server puts the bodies of a request and of its right answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bodies<'a> {
    pub(crate) request: &'a str,
    pub(crate) answer: &'a str,
}

/// How a server wants to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Welcome {
    pub(crate) address: SocketAddr,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) content_type: String,
    pub(crate) base_rss: Option<Bytes>,
    pub(crate) peak_reset: bool,
    /// Every parameter as it is in force.
    pub(crate) parameters: BTreeMap<String, String>,
}

/// A check that an allocator is known to fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownLimit {
    pub(crate) check: String,
    pub(crate) finding: Finding,
    pub(crate) reason: String,
}

/// What a worker says of a check that it made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) finding: Option<Finding>,
    pub(crate) skipped: bool,
    pub(crate) detail: String,
}

impl Conversation {
    /// Starts a worker and hears who it is. Refuses one without proof, of another protocol, or of a debug build.
    pub(crate) fn open(program: &Path, start: &Start<'_>) -> Result<Self, Status> {
        let launch = start.launch;
        let mut environment = launch.environment();
        environment.insert("HEAPMARK_PADDING".into(), "x".repeat(start.padding));
        let mut child = Child::start(program, &environment, launch.huge_pages, start.memory_limit, start.cancel)?;
        let mut greeting = greet(&mut child, start).map_err(|status| match status {
            Status::Signal { .. } | Status::Exited { .. } => Status::FailedToStart { detail: status.to_string() },
            // The dynamic linker only warns of a library that it cannot preload, and says why.
            Status::NoProof { detail } if launch.preload.is_some() => {
                Status::NoProof { detail: with_reason(detail, &child.last_words()) }
            }
            other => other,
        })?;
        if launch.preload.is_some() {
            as_preloaded(&mut greeting)?;
        }
        greeting.knobs.retain(|knob| knob.name != HugePages::KNOB);
        greeting.knobs.extend(launch.huge_pages.map(|mode| huge_pages_knob(mode, &child.status())));
        Ok(Self { child, line: Box::new(LineWriter::new()), limits: start.limits, greeting })
    }

    pub(crate) fn greeting(&self) -> &Greeting {
        &self.greeting
    }

    /// Asks for the workloads that the worker offers.
    pub(crate) fn catalogue(&mut self) -> Result<Catalogue, Status> {
        const STEP: &str = "listing its workloads";
        let request = self.line.start(verb::CATALOGUE).finish();
        self.child.send(request);
        let mut catalogue = Catalogue::default();
        let mut answer = Answer::of(&mut self.child, self.limits.start, STEP);
        loop {
            let line = answer.line()?;
            let message = parse(&line, STEP)?;
            match message.verb() {
                verb::Workload => {
                    let workload = read(Workload::read(&message), STEP)?;
                    if catalogue.find(&one_line(&workload.name)).is_some() {
                        return Err(wrong(STEP, &format!("it offers {} twice", one_line(&workload.name))));
                    }
                    catalogue.workloads.push(WorkloadInfo {
                        name: one_line(&workload.name),
                        summary: one_line(&workload.summary),
                        unit: one_line(&workload.unit),
                        details: one_line(&workload.details),
                        parameters: Vec::new(),
                        settle_ms: workload.settle_ms.unwrap_or_default().as_slice().to_vec(),
                    });
                }
                verb::Parameter => {
                    let parameter = read(Parameter::read(&message), STEP)?;
                    let workload = catalogue.workloads.last_mut().filter(|last| last.name == parameter.workload);
                    let orphan = || unexpected(STEP, "a parameter without its workload");
                    let workload = workload.ok_or_else(orphan)?;
                    if parameter.min > parameter.max {
                        let (name, min, max) = (one_line(&parameter.name), parameter.min, parameter.max);
                        let what = format!("{} has {name} from {min} to {max}, which is nothing", workload.name);
                        return Err(wrong(STEP, &what));
                    }
                    workload.parameters.push(parameter_info(&parameter));
                }
                verb::Set => {
                    let set = read(Set::read(&message), STEP)?;
                    catalogue.sets.push(SetInfo {
                        name: one_line(&set.name),
                        summary: one_line(&set.summary),
                        workloads: set.workloads.split(',').map(str::to_owned).collect(),
                    });
                }
                verb::END => return Ok(catalogue),
                other => return Err(unexpected(STEP, other)),
            }
        }
    }

    /// Asks for the checks of soundness that the worker can make, and for what its allocator is known to fail.
    pub(crate) fn checks(&mut self) -> Result<(Vec<CheckInfo>, Vec<KnownLimit>), Status> {
        const STEP: &str = "listing its checks";
        self.child.send(self.line.start(verb::CHECKS).finish());
        let (mut checks, mut limits) = (Vec::new(), Vec::new());
        let mut answer = Answer::of(&mut self.child, self.limits.start, STEP);
        loop {
            let line = answer.line()?;
            let message = parse(&line, STEP)?;
            match message.verb() {
                verb::Check => {
                    let check = read(Check::read(&message), STEP)?;
                    checks.push(CheckInfo { name: one_line(&check.name), summary: one_line(&check.summary) });
                }
                verb::Limit => {
                    let limit = read(Limit::read(&message), STEP)?;
                    let (check, reason) = (limit.check.into_owned(), one_line(&limit.reason));
                    limits.push(KnownLimit { check, finding: limit.finding, reason });
                }
                verb::END => return Ok((checks, limits)),
                other => return Err(unexpected(STEP, other)),
            }
        }
    }

    /// Has one check made. A worker that does not answer in time says on standard error how far it came.
    pub(crate) fn verify(&mut self, check: &str, limit: Duration) -> Result<Verdict, Status> {
        self.child.send(Verify { check: check.into() }.write(&mut self.line).finish());
        let step = format!("checking {check}");
        let answer = self.child.next_line(Deadline::after(limit), &step).map_err(|status| match status {
            Status::Timeout { detail } => Status::Timeout { detail: self.child.with_last_words(detail) },
            other => other,
        })?;
        let verified = read(Verified::read(&expect(&answer, verb::Verified, &step)?), &step)?;
        let detail = one_line(&verified.detail);
        Ok(Verdict { finding: verified.finding, skipped: verified.skipped, detail })
    }

    /// Makes a workload ready; the answer, and every parameter as it is in force.
    pub(crate) fn prepare(&mut self, case: &Case, seed: u64) -> Result<(Prepared, BTreeMap<String, String>), Status> {
        const STEP: &str = "preparing the workload";
        let line = Prepare { workload: case.workload.as_str().into(), seed }.write(&mut self.line);
        put_parameters(case, line);
        self.child.send(line.finish());
        let answer = self.child.next_line(Deadline::after(self.limits.prepare), STEP)?;
        let message = expect(&answer, verb::Prepared, STEP)?;
        let parameters = parameters(&message, STEP)?;
        let prepared = read(Prepared::read(&message), STEP)?;
        if prepared.lanes == 0 {
            return Err(wrong(STEP, "it works on no lane"));
        }
        Ok((prepared, parameters))
    }

    /// Makes a workload ready as a server at this address.
    pub(crate) fn serve(
        &mut self,
        case: &Case,
        seed: u64,
        listen: SocketAddr,
        bodies: Bodies<'_>,
    ) -> Result<Welcome, Status> {
        const STEP: &str = "beginning to serve";
        let request = Serve {
            workload: case.workload.as_str().into(),
            seed,
            listen: listen.to_string().into(),
            request_file: Some(bodies.request.into()),
            answer_file: Some(bodies.answer.into()),
        };
        let line = request.write(&mut self.line);
        put_parameters(case, line);
        self.child.send(line.finish());
        let answer = self.child.next_line(Deadline::after(self.limits.prepare), STEP)?;
        let message = expect(&answer, verb::Serving, STEP)?;
        let serving = read(Serving::read(&message), STEP)?;
        let address = serving.address.parse();
        Ok(Welcome {
            address: address.map_err(|_| wrong(STEP, &format!("{:?} is no address", one_line(&serving.address))))?,
            method: one_line(&serving.method),
            path: one_line(&serving.path),
            content_type: one_line(&serving.content_type),
            base_rss: serving.base_rss.map(Bytes),
            peak_reset: serving.peak_reset,
            parameters: parameters(&message, STEP)?,
        })
    }

    /// Lets a worker serve until the run is cancelled, which from then on ends nothing any more. Fails when it dies.
    pub(crate) fn look_after(&mut self) -> Result<(), Status> {
        self.child.look_after("serving")
    }

    /// The worker's process, to look at from outside.
    pub(crate) fn subject(&self) -> std::io::Result<Subject> {
        self.child.subject()
    }

    /// Does one turn. A count that differs from what was asked is a wrong result, and work in no time is none.
    pub(crate) fn turn(&mut self, units: u64) -> Result<Turned, Status> {
        const STEP: &str = "working";
        self.child.send(Turn { units }.write(&mut self.line).finish());
        let answer = self.child.next_line(Deadline::after(self.limits.turn), STEP)?;
        let turned = read(Turned::read(&expect(&answer, verb::Turned, STEP)?), STEP)?;
        if turned.count != units {
            let detail = format!("{} units were done where {units} were asked for", turned.count);
            return Err(Status::WrongResult { detail });
        }
        if turned.wall_ns == 0 && units > 0 {
            return Err(wrong(STEP, &format!("{units} units took no time at all")));
        }
        self.child.check_ceiling(turned.rss.map(Bytes), STEP)?;
        Ok(turned)
    }

    /// Reads the peak, has everything dropped if `drain`, memory read again after quiet times, and ends the worker.
    pub(crate) fn finish(mut self, drain: bool, settle_ms: Numbers) -> Result<Finished, Status> {
        const STEP: &str = "dropping everything";
        self.child.send(Finish { drain, settle_ms }.write(&mut self.line).finish());
        let quiet = settle_ms.as_slice().iter().copied().max().unwrap_or(0);
        let limit = self.limits.finish.saturating_add(Duration::from_millis(quiet));
        let mut answer = Answer::of(&mut self.child, limit, STEP);
        let (mut phases, mut latency) = (Vec::new(), None);
        let outcome = loop {
            let line = answer.line()?;
            let message = parse(&line, STEP)?;
            match message.verb() {
                verb::Phase => phases.push(read(Phase::read(&message), STEP)?),
                verb::Latency if latency.is_none() => latency = Some(read(Latency::read(&message), STEP)?),
                verb::Outcome => break read(Outcome::read(&message), STEP)?,
                other => return Err(unexpected(STEP, other)),
            }
        };
        self.child.check_ceiling(outcome.peak_rss.map(Bytes), STEP)?;
        self.quit()?;
        Ok(Finished { outcome, phases, latency })
    }

    /// Tells the worker to go, and sees it off.
    pub(crate) fn quit(mut self) -> Result<(), Status> {
        self.child.send(self.line.start(verb::QUIT).finish());
        self.child.join(self.limits.finish, "exiting")
    }
}

/// Adds the parameters that differ from their defaults.
fn put_parameters(case: &Case, line: &mut LineWriter) {
    for (name, value) in &case.parameters {
        line.text(&format!("{PARAMETER_PREFIX}{name}"), value);
    }
}

/// The parameters as a worker says that they are in force.
fn parameters(message: &Message<'_>, step: &str) -> Result<BTreeMap<String, String>, Status> {
    let mut parameters = BTreeMap::new();
    for pair in message.pairs() {
        let (key, value) = read(pair, step)?;
        if let Some(name) = key.strip_prefix(PARAMETER_PREFIX) {
            parameters.insert(name.to_owned(), value.into_owned());
        }
    }
    Ok(parameters)
}

/// Variables that set `wanted` on a worker that described its knobs so. Fails naming a knob that it does not have.
pub(crate) fn knob_variables(contender: &Contender, known: &[KnobInfo]) -> Result<BTreeMap<String, String>, Status> {
    let mut variables: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in contender.knobs.iter().filter(|(name, _)| name != HugePages::KNOB) {
        let knob = known.iter().find(|knob| knob.name == *name).ok_or_else(|| {
            let names: Vec<_> = known.iter().map(|knob| knob.name.as_str()).collect();
            let has = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            Status::Knob { detail: format!("{} has no knob {name:?}; it has {has}", contender.worker.name) }
        })?;
        let setting = knob.template.replace("{}", value);
        match (variables.get_mut(&knob.variable), &knob.joiner) {
            (None, _) => {
                variables.insert(knob.variable.clone(), setting);
            }
            (Some(content), Some(joiner)) => {
                content.push_str(joiner);
                content.push_str(&setting);
            }
            (Some(_), None) => {
                let detail = format!("{name} shares the variable {} with another knob", knob.variable);
                return Err(Status::Knob { detail });
            }
        }
    }
    Ok(variables)
}

/// Whether every knob took, going by what the worker reads back. Fails with what came back instead.
pub(crate) fn check_knobs(contender: &Contender, greeting: &Greeting) -> Result<(), Status> {
    for (name, value) in &contender.knobs {
        let Some(knob) = greeting.knobs.iter().find(|knob| knob.name == *name) else { continue };
        // An allocator that cannot be asked reports its whole variable, which can hold several knobs.
        let took = if knob.confirmed {
            knob.value == *value
        } else {
            knob.value.contains(&knob.template.replace("{}", value))
        };
        if !took {
            let detail = format!("{name} was set to {value:?} through {}, but reads {:?}", knob.variable, knob.value);
            return Err(Status::Knob { detail });
        }
    }
    Ok(())
}

/// The harness's own knob as it is in force, by what the kernel says of the process.
fn huge_pages_knob(mode: HugePages, status: &str) -> KnobInfo {
    KnobInfo {
        name: HugePages::KNOB.into(),
        variable: "prctl".into(),
        template: "{}".into(),
        joiner: None,
        value: mode.in_force(status).into(),
        confirmed: true,
    }
}

/// Holds a worker of the system allocator to what it must say where a library serves in the place of that, and takes away what
/// it says of the C library's allocator. Fails if it does not say that the library serves.
fn as_preloaded(greeting: &mut Greeting) -> Result<(), Status> {
    if greeting.proof != Proof::Symbol {
        let detail = format!("it does not say that the preloaded library serves: {}", greeting.proof_detail);
        return Err(Status::NoProof { detail });
    }
    greeting.licence.clear();
    greeting.knobs.clear();
    Ok(())
}

/// What was seen, and what was printed about it, if anything was.
fn with_reason(seen: String, printed: &str) -> String {
    if printed.is_empty() { seen } else { format!("{seen}; it printed: {printed}") }
}

fn greet(child: &mut Child, start: &Start<'_>) -> Result<Greeting, Status> {
    const STEP: &str = "starting";
    let mut answer = Answer::of(child, start.limits.start, STEP);
    let line = answer.line()?;
    let message = expect(&line, verb::Hello, STEP)?;
    // The version first: the other fields of a foreign version mean nothing.
    let protocol = read(message.number("protocol"), STEP)?;
    if protocol != VERSION {
        let detail = format!("it speaks protocol {protocol}, this is protocol {VERSION}; build it with this heapmark");
        return Err(Status::ProtocolError { detail });
    }
    let hello = read(Hello::read(&message), STEP)?;
    let mut greeting = Greeting {
        name: one_line(&hello.name),
        crate_name: one_line(&hello.crate_name),
        crate_version: one_line(&hello.crate_version),
        upstream_version: one_line(&hello.upstream_version),
        licence: one_line(&hello.licence),
        forwards: one_line(&hello.forwards),
        proof: hello.proof,
        proof_detail: one_line(&hello.proof_detail),
        build: one_line(&hello.build),
        features: one_line(&hello.features),
        start_rss: hello.start_rss,
        kind: hello.kind,
        knobs: Vec::new(),
    };
    if greeting.proof == Proof::None {
        return Err(Status::NoProof { detail: greeting.proof_detail });
    }
    if hello.debug_build && !start.allow_debug {
        return Err(Status::DebugBuild { detail: greeting.build });
    }
    loop {
        let line = answer.line()?;
        let message = parse(&line, STEP)?;
        match message.verb() {
            verb::Knob => greeting.knobs.push(knob_info(read(Knob::read(&message), STEP)?)),
            verb::READY => return Ok(greeting),
            other => return Err(unexpected(STEP, other)),
        }
    }
}

/// Text of a worker as it may be shown: on one line, and without what would move a terminal's cursor.
fn one_line(text: &str) -> String {
    let words: Vec<_> = text.split(|c: char| c.is_control()).filter(|words| !words.is_empty()).collect();
    words.join(" ")
}

fn knob_info(knob: Knob<'_>) -> KnobInfo {
    KnobInfo {
        name: one_line(&knob.name),
        variable: knob.variable.into_owned(),
        template: knob.template.into_owned(),
        joiner: knob.joiner.map(std::borrow::Cow::into_owned),
        value: knob.value.into_owned(),
        confirmed: knob.confirmed,
    }
}

fn parameter_info(parameter: &Parameter<'_>) -> ParameterInfo {
    let values = match parameter.kind {
        ParameterKind::Number => ParameterValues::Number { min: parameter.min, max: parameter.max },
        ParameterKind::Choice => ParameterValues::Choice(parameter.choices.split(',').map(str::to_owned).collect()),
    };
    ParameterInfo {
        name: one_line(&parameter.name),
        summary: one_line(&parameter.summary),
        default: one_line(&parameter.default),
        values,
    }
}

/// Reads a line; a worker that says `error` refused, and gives its reason.
fn parse<'a>(line: &'a [u8], step: &str) -> Result<Message<'a>, Status> {
    let message = read(Message::parse(line), step)?;
    if message.verb() == verb::Failure {
        let failure = read(Failure::read(&message), step)?;
        return Err(Status::Refused { detail: one_line(&failure.message) });
    }
    Ok(message)
}

fn expect<'a>(line: &'a [u8], verb: &str, step: &str) -> Result<Message<'a>, Status> {
    let message = parse(line, step)?;
    if message.verb() == verb { Ok(message) } else { Err(unexpected(step, message.verb())) }
}

fn read<T>(result: Result<T, ParseError>, step: &str) -> Result<T, Status> {
    result.map_err(|error| Status::ProtocolError { detail: format!("{step}: {error}") })
}

fn unexpected(step: &str, what: &str) -> Status {
    wrong(step, &format!("it answered `{what}`"))
}

fn wrong(step: &str, what: &str) -> Status {
    Status::ProtocolError { detail: format!("{step}: {what}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_worker_is_shown_on_one_line() {
        assert_eq!(one_line("glibc 2.36"), "glibc 2.36");
        assert_eq!(one_line("a\r\nb\u{1b}[31m\u{9b}c\0"), "a b [31m c");
        assert_eq!(one_line("\n"), "");
    }
}

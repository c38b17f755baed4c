//! A run in progress: contenders that have introduced themselves, and cases measured one by one.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use fastrand::Rng;

use crate::calibrate::{Calibration, calibrate, limits_for};
use crate::case::Catalogue;
use crate::machine::{Load, Machine, Tool};
use crate::outcome::CaseOutcome;
use crate::process::{Conversation, Greeting, Start, check_knobs, knob_variables};
use crate::record::{
    CaseRow, ContenderRow, CountsRow, EndRow, IdentityRow, KnobValue, Record, RecordFile, Role, Row, RunRow, SCHEMA,
    Sample,
};
use crate::sample::{Entrant, Running, Work, blank, compare_results};
use crate::schedule::{shuffled, turn_orders};
use crate::{Arrangement, Bytes, Case, Comparison, Contender, Error, Nanos, Settings, Status, Worker};

/// What happens in a run, as it happens.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A contender introduced itself, or failed to.
    Greeted {
        /// Its name.
        contender: &'a str,
        /// Whether it can be measured.
        status: &'a Status,
    },
    /// A case is about to be measured.
    Calibrated(&'a CaseRow),
    /// A block begins.
    Block {
        /// The case.
        case: &'a Case,
        /// Which block, from 0.
        block: u32,
        /// How many there will be.
        blocks: u32,
    },
    /// A sample is over.
    Sampled(&'a Sample),
}

/// Contenders ready to be measured.
#[derive(Debug)]
pub struct Session {
    entrants: Vec<Entrant>,
    counting: Option<Entrant>,
    settings: Settings,
    catalogue: Catalogue,
    record: Record,
    file: Option<RecordFile>,
}

/// The length of the variable that shifts the stack is below this: a page, beyond which nothing new comes.
const PADDING: usize = 4096;

impl Session {
    /// Has every contender introduce itself. One that cannot is kept, to be shown with its status.
    pub(crate) fn open(comparison: Comparison, observe: &mut dyn FnMut(Event<'_>)) -> Result<Self, Error> {
        let Comparison { mut contenders, reference, counting, settings, file, workspace, counters_too } = comparison;
        if contenders.is_empty() {
            return Err(Error::NothingSelected("no contender is selected".into()));
        }
        settings.check()?;
        let reference = match reference {
            Some(name) => contenders.iter().position(|contender| contender.name == name).ok_or_else(|| {
                let known: Vec<_> = contenders.iter().map(|contender| contender.name.as_str()).collect();
                Error::Usage(format!("the reference {name:?} does not take part; there are {}", known.join(", ")))
            })?,
            None => contenders.iter().position(|contender| contender.name == "system").unwrap_or(0),
        };
        // The reference first, the others in the order given.
        contenders[..=reference].rotate_right(1);
        check_distinct(&contenders, settings.twin)?;
        let run = RunRow {
            schema: SCHEMA,
            tool: Tool::read(workspace.as_deref()),
            machine: Machine::read(),
            load: Load::read(),
            started: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            settings: settings.clone(),
            reference: contenders[0].name.clone(),
        };
        let mut session = Self {
            entrants: Vec::new(),
            counting: None,
            settings,
            catalogue: Catalogue::default(),
            record: Record::default(),
            file,
        };
        session.note(Row::Run(Box::new(run)))?;
        let mut catalogue = None;
        for (index, contender) in contenders.into_iter().enumerate() {
            let role = if index == 0 { Role::Reference } else { Role::Contender };
            let greeting = session.enter(contender, role, &mut catalogue, observe)?;
            if let Some(name) = greeting.filter(|_| !counters_too) {
                let reason = "its times say nothing about an allocator, so it cannot be compared";
                return Err(Error::Usage(format!("{name} only counts; {reason}")));
            }
            if index == 0 && session.settings.twin {
                session.add_twin()?;
            }
        }
        session.catalogue = catalogue.ok_or_else(|| session.nobody())?;
        session.counting = counting.map(|worker| session.counting_entrant(worker)).transpose()?;
        Ok(session)
    }

    /// Everyone failed: why.
    fn nobody(&self) -> Error {
        let reasons: Vec<_> =
            self.entrants.iter().map(|entrant| format!("{}: {}", entrant.name, entrant.status)).collect();
        Error::NoWorker(format!("no contender can be measured: {}", reasons.join("; ")))
    }

    /// Has one contender introduce itself; its name, if it only counts.
    fn enter(
        &mut self,
        contender: Contender,
        role: Role,
        catalogue: &mut Option<Catalogue>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Option<String>, Error> {
        let (status, variables, greeting, found) = match self.introduce(&contender) {
            Ok(i) => (Status::Ok, i.variables, Some(i.greeting), Some(i.catalogue)),
            Err(status) => (status, BTreeMap::new(), None, None),
        };
        observe(Event::Greeted { contender: &contender.name, status: &status });
        if catalogue.is_none() {
            *catalogue = found;
        }
        let counts_only = greeting.as_ref().is_some_and(|greeting| greeting.counts_only);
        let counter = counts_only.then(|| contender.name.clone());
        let row = contender_row(&contender, role, status.clone(), greeting);
        self.entrants.push(Entrant { name: contender.name.clone(), role, contender, variables, status });
        self.note(Row::Contender(Box::new(row)))?;
        Ok(counter)
    }

    /// The reference a second time, as a control.
    fn add_twin(&mut self) -> Result<(), Error> {
        let (Some(reference), Some(row)) = (self.entrants.first(), self.record.contenders.first()) else {
            return Ok(());
        };
        let name = twin_of(&reference.name);
        let twin = Entrant { name: name.clone(), role: Role::Twin, ..reference.clone() };
        let row = ContenderRow { name, role: Role::Twin, ..row.clone() };
        self.entrants.push(twin);
        self.note(Row::Contender(Box::new(row)))
    }

    /// The counting worker. One that fails is kept, so that its status stands where its counts would. Fails if it can be
    /// asked but does not count.
    fn counting_entrant(&self, worker: Worker) -> Result<Entrant, Error> {
        let contender = Contender::plain(worker);
        let name = contender.name.clone();
        let status = match self.introduce(&contender) {
            Ok(introduced) if !introduced.greeting.counts_only => {
                return Err(Error::Usage(format!("{name:?} does not count; it cannot stand for the counting worker")));
            }
            Ok(_) => Status::Ok,
            Err(status) => status,
        };
        Ok(Entrant { name, role: Role::Contender, contender, variables: BTreeMap::new(), status })
    }

    /// Starts a worker twice: to hear what knobs it has, then with the knobs turned, to see that they took.
    fn introduce(&self, contender: &Contender) -> Result<Introduced, Status> {
        let program = contender.worker.program.as_deref().map_err(|why| Status::NotBuilt { detail: why.clone() })?;
        let open = |knobs: &BTreeMap<String, String>| {
            let start =
                Start { limits: self.settings.limits, padding: 0, knobs, allow_debug: self.settings.allow_debug };
            Conversation::open(program, &start)
        };
        let mut conversation = open(&BTreeMap::new())?;
        let catalogue = conversation.catalogue()?;
        let mut greeting = conversation.greeting().clone();
        conversation.quit()?;
        let variables = knob_variables(contender, &greeting.knobs)?;
        if !variables.is_empty() {
            let conversation = open(&variables)?;
            greeting = conversation.greeting().clone();
            check_knobs(contender, &greeting)?;
            conversation.quit()?;
        }
        Ok(Introduced { greeting, variables, catalogue })
    }

    /// The workloads that can be measured: the reference's.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Where the record is written, if it is.
    pub fn record_path(&self) -> Option<&std::path::Path> {
        self.file.as_ref().map(RecordFile::path)
    }

    /// What has been measured so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Measures one case: every block of it. Fails if the case makes no sense, or the record cannot be written; whatever
    /// happens to a contender is part of the outcome.
    pub fn measure(&mut self, case: &Case, observe: &mut dyn FnMut(Event<'_>)) -> Result<CaseOutcome, Error> {
        let unit = self.catalogue.check(case)?.unit.clone();
        let (calibration, failures) = self.calibrate(case);
        let mut out = vec![false; self.entrants.len()];
        for (index, status) in failures {
            out[index] = true;
            let sample = blank(&self.entrants[index], case, 0, Arrangement::Alone, 0);
            self.sampled(Sample { status, ..sample }, observe)?;
        }
        if let Some(calibration) = calibration {
            let no_turns = self.why_no_turns(&calibration);
            let row = CaseRow {
                case: case.clone(),
                unit,
                parameters_in_force: calibration.parameters.clone(),
                lanes: calibration.lanes,
                turn_units: calibration.turn_units,
                turn: calibration.turn,
                no_turns,
            };
            observe(Event::Calibrated(&row));
            let arrangements = arrangements_for(&self.settings.arrangements, row.no_turns.is_some());
            self.note(Row::Case(Box::new(row)))?;
            let settings =
                Settings { limits: limits_for(self.settings.limits, calibration.turn), ..self.settings.clone() };
            let work = Work { case, settings: &settings, turn_units: calibration.turn_units };
            for block in 0..settings.blocks {
                observe(Event::Block { case, block, blocks: settings.blocks });
                for &arrangement in &arrangements {
                    let samples = self.block(work, block, arrangement, &out);
                    // All of them are kept before a failure to write one ends the case.
                    let mut written = Ok(());
                    for sample in samples {
                        let entrant = self.entrants.iter().position(|entrant| entrant.name == sample.contender);
                        if let Some(index) = entrant.filter(|_| !sample.status.is_ok()) {
                            out[index] = true;
                        }
                        written = written.and(self.sampled(sample, observe));
                    }
                    written?;
                }
                self.sync()?;
            }
            self.count(work)?;
        }
        Ok(CaseOutcome::of(&self.record, case))
    }

    /// Ends the run; its record.
    pub fn finish(mut self) -> Result<Record, Error> {
        self.note(Row::End(EndRow { load: Load::read() }))?;
        self.sync()?;
        Ok(self.record)
    }

    /// Calibrates on the reference, else on the first contender that can do the work; who failed on the way, and why.
    fn calibrate(&self, case: &Case) -> (Option<Calibration>, Vec<(usize, Status)>) {
        let mut failures = Vec::new();
        for (index, entrant) in self.entrants.iter().enumerate() {
            match calibrate(entrant, case, &self.settings) {
                Ok(calibration) => return (Some(calibration), failures),
                Err(status) => failures.push((index, status)),
            }
        }
        (None, failures)
    }

    /// Whether the workers of a block cannot be alive together, since they would not fit into memory.
    fn why_no_turns(&self, calibration: &Calibration) -> Option<String> {
        let (peak, available) = (calibration.peak?.0, Load::read().available?.0);
        // Half as much again for contenders that need more than the reference, and a fifth of the memory left alone.
        let needed = peak.saturating_mul(self.entrants.len() as u64).saturating_mul(3) / 2;
        (needed > available / 5 * 4).then(|| {
            format!(
                "{} workers of about {} each do not fit into {}",
                self.entrants.len(),
                Bytes(peak),
                Bytes(available)
            )
        })
    }

    /// One sample of everyone who is still in.
    fn block(&self, work: Work<'_>, block: u32, arrangement: Arrangement, out: &[bool]) -> Vec<Sample> {
        let mut rng = Rng::with_seed(mix(work.settings.seed, &format!("{} {block} {arrangement:?}", work.case)));
        let seed = mix(work.settings.seed, &format!("input {block}"));
        let starters = shuffled(self.entrants.len(), &mut rng).into_iter().filter(|&index| !out[index]);
        let start = |index: usize, rng: &mut Rng| {
            Running::start(&self.entrants[index], work, block, arrangement, seed, rng.usize(..PADDING))
        };
        let turns = work.settings.turns_in(arrangement);
        let mut samples: Vec<Sample> = match arrangement {
            Arrangement::Alone => starters
                .map(|index| {
                    let mut running = start(index, &mut rng.fork());
                    for _ in 0..work.settings.warm_turns {
                        running.warm_turn();
                    }
                    for _ in 0..turns {
                        running.turn(0);
                    }
                    running.finish();
                    running.into_sample()
                })
                .collect(),
            Arrangement::Turns => {
                let mut running: Vec<Running<'_>> = starters.map(|index| start(index, &mut rng.fork())).collect();
                for _ in 0..work.settings.warm_turns {
                    running.iter_mut().for_each(Running::warm_turn);
                }
                for order in turn_orders(running.len(), turns as usize, &mut rng) {
                    for (position, index) in (0..).zip(order) {
                        running[index].turn(position);
                    }
                }
                running.iter_mut().for_each(Running::finish);
                running.into_iter().map(Running::into_sample).collect()
            }
        };
        compare_results(&mut samples);
        samples
    }

    /// Asks the counting backend about the same work.
    fn count(&mut self, work: Work<'_>) -> Result<(), Error> {
        let Some(entrant) = &self.counting else { return Ok(()) };
        let seed = mix(work.settings.seed, "input 0");
        let mut running = Running::start(entrant, work, 0, Arrangement::Alone, seed, 0);
        for _ in 0..work.settings.warm_turns {
            running.warm_turn();
        }
        for _ in 0..work.settings.turns_alone {
            running.turn(0);
        }
        running.finish();
        let ((calls, requested), peak_live) = (running.counted, running.peak_live.map(Bytes));
        let sample = running.into_sample();
        let row = CountsRow {
            case: work.case.clone(),
            status: sample.status,
            units: sample.units,
            calls,
            requested: Bytes(requested),
            peak_live,
        };
        self.note(Row::Counts(row))
    }

    fn sampled(&mut self, sample: Sample, observe: &mut dyn FnMut(Event<'_>)) -> Result<(), Error> {
        observe(Event::Sampled(&sample));
        self.note(Row::Sample(Box::new(sample)))
    }

    /// Keeps a row, in memory even where the disk fails, so that nothing that was measured is lost.
    fn note(&mut self, row: Row) -> Result<(), Error> {
        let written = self.file.as_mut().map_or(Ok(()), |file| file.append(&row));
        self.record.push(row);
        written
    }

    fn sync(&mut self) -> Result<(), Error> {
        self.file.as_mut().map_or(Ok(()), RecordFile::sync)
    }
}

struct Introduced {
    greeting: Greeting,
    variables: BTreeMap<String, String>,
    catalogue: Catalogue,
}

/// The name under which the reference takes part a second time.
fn twin_of(reference: &str) -> String {
    format!("{reference} (twin)")
}

/// The rows of a record are told apart by their names, the one of the twin included; the reference comes first.
fn check_distinct(contenders: &[Contender], twin: bool) -> Result<(), Error> {
    let twin = contenders.first().filter(|_| twin).map(|reference| twin_of(&reference.name));
    for (index, contender) in contenders.iter().enumerate() {
        if contenders[..index].iter().any(|other| other.name == contender.name) {
            return Err(Error::Usage(format!("{:?} takes part twice", contender.name)));
        }
        if twin.as_ref() == Some(&contender.name) {
            return Err(Error::Usage(format!("{:?} is what the reference's twin is called", contender.name)));
        }
    }
    Ok(())
}

/// Where turns are impossible, everything is measured alone.
fn arrangements_for(wanted: &[Arrangement], no_turns: bool) -> Vec<Arrangement> {
    if no_turns { vec![Arrangement::Alone] } else { wanted.to_vec() }
}

fn contender_row(contender: &Contender, role: Role, status: Status, greeting: Option<Greeting>) -> ContenderRow {
    let row = ContenderRow {
        name: contender.name.clone(),
        role,
        status,
        backend: contender.worker.name.clone(),
        set: contender.knobs.clone(),
        identity: None,
    };
    let Some(greeting) = greeting else { return row };
    let knobs = greeting.knobs.into_iter();
    let identity = IdentityRow {
        crate_name: greeting.crate_name,
        crate_version: greeting.crate_version,
        upstream_version: greeting.upstream_version,
        licence: greeting.licence,
        forwards: greeting.forwards,
        proof: greeting.proof.word().to_owned(),
        proof_detail: greeting.proof_detail,
        build: greeting.build,
        features: greeting.features,
        knobs: knobs.map(|knob| (knob.name, KnobValue { value: knob.value, confirmed: knob.confirmed })).collect(),
        start_rss: greeting.start_rss.map(Bytes),
    };
    ContenderRow { identity: Some(identity), ..row }
}

/// A seed of its own for each purpose: FNV-1a over the seed and a name for the purpose.
fn mix(seed: u64, purpose: &str) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(purpose.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// How long a run of so many cases takes at least, were nothing but turns to take time.
pub fn least_time(settings: &Settings, contenders: usize, cases: usize) -> Nanos {
    let turns: u64 = settings
        .arrangements
        .iter()
        .map(|&arrangement| u64::from(settings.turns_in(arrangement) + settings.warm_turns))
        .sum();
    let entrants = contenders as u64 + u64::from(settings.twin);
    let factors = [turns, entrants, u64::from(settings.blocks), cases as u64];
    Nanos(factors.into_iter().fold(settings.turn.0, u64::saturating_mul))
}

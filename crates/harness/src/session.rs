//! A run in progress: contenders that have introduced themselves, and cases measured block by block.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fastrand::Rng;
use heapmark_protocol::{Numbers, WorkerKind};

use crate::analysis::log_ratios_for_precision;
use crate::block::{Block, input_seed, run_undisturbed, seed_for};
use crate::calibrate::{Calibration, calibrate, limits_for};
use crate::case::Catalogue;
use crate::introduce::{contender_row, in_order, introduce, twin_of};
use crate::machine::{Load, Machine, Tool};
use crate::outcome::{CaseOutcome, Outcome};
use crate::pacing::Pacing;
use crate::process::Launch;
use crate::record::{
    BlockRow, CaseRow, ContenderRow, CountsRow, EndRow, Kind, PlanRow, Record, RecordFile, Role, Row, RunRow, SCHEMA,
    Sample,
};
use crate::sample::{Entrant, Running, Work, blank};
use crate::schedule::shuffled;
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
        /// How many there will be, where that is fixed.
        blocks: Option<u32>,
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
    /// Whether the file has the rows that begin a record.
    begun: bool,
}

/// A case being measured.
struct Course {
    row: CaseRow,
    settings: Settings,
    /// By entrant: whether it failed, and is not measured any more.
    out: Vec<bool>,
    /// Blocks that are complete.
    done: u32,
    /// The longest block so far; before the first, a guess.
    block: Duration,
}

impl Session {
    /// Has every contender introduce itself. One that cannot is kept, to be shown with its status.
    pub(crate) fn open(comparison: Comparison, observe: &mut dyn FnMut(Event<'_>)) -> Result<Self, Error> {
        let Comparison { contenders, reference, counting, settings, file, workspace, counters_too, resumed } =
            comparison;
        settings.check()?;
        let contenders = in_order(contenders, reference.as_deref(), settings.twin)?;
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
            file: None,
            begun: false,
        };
        session.note(Row::Run(Box::new(run)))?;
        let mut catalogue = None;
        for (index, contender) in contenders.into_iter().enumerate() {
            let role = if index == 0 { Role::Reference } else { Role::Contender };
            let kind = session.enter(&contender, role, &mut catalogue, observe)?;
            session.go_on()?;
            if kind == Some(Kind::Counter) && !counters_too {
                let reason = "its times say nothing about an allocator, so it cannot be compared";
                return Err(Error::Usage(format!("{} only counts; {reason}", contender.name)));
            }
            if index == 0 && session.settings.twin {
                session.add_twin()?;
            }
        }
        session.catalogue = catalogue.ok_or_else(|| session.nobody())?;
        session.counting = counting.map(|worker| session.counting_entrant(worker)).transpose()?;
        session.go_on()?;
        session.file = file;
        if let Some(record) = resumed {
            session.adopt(record)?;
        }
        Ok(session)
    }

    /// Goes on with an interrupted run instead of beginning one. Fails if anything that matters is not as it was.
    fn adopt(&mut self, record: Record) -> Result<(), Error> {
        if let Some(why) = crate::combine::why_not_combined(&record, &self.record) {
            return Err(Error::Usage(format!("the run cannot be resumed: {why}")));
        }
        self.record = record;
        self.begun = true;
        Ok(())
    }

    /// Fails if the run was cancelled: whoever was greeting then did not fail, and must not be recorded as if.
    fn go_on(&self) -> Result<(), Error> {
        if self.is_cancelled() { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// Puts the rows that begin a record into its file, once it is known that there is something to measure.
    fn begin_record(&mut self) -> Result<(), Error> {
        let Some(file) = self.file.as_mut().filter(|_| !self.begun) else { return Ok(()) };
        self.begun = true;
        let run = self.record.run.iter().map(|run| Row::Run(Box::new(run.clone())));
        let contenders = self.record.contenders.iter().map(|row| Row::Contender(Box::new(row.clone())));
        for row in run.chain(contenders) {
            file.append(&row)?;
        }
        file.sync()
    }

    /// Writes down what is to be measured, as far as that is news.
    fn plan(&mut self, cases: &[Case]) -> Result<(), Error> {
        let news: Vec<Case> = cases.iter().filter(|case| !self.record.planned.contains(case)).cloned().collect();
        if news.is_empty() { Ok(()) } else { self.note(Row::Plan(PlanRow { cases: news })).and_then(|()| self.sync()) }
    }

    /// Everyone failed: why.
    fn nobody(&self) -> Error {
        let reasons: Vec<_> =
            self.entrants.iter().map(|entrant| format!("{}: {}", entrant.name, entrant.status)).collect();
        Error::NoWorker(format!("no contender can be measured: {}", reasons.join("; ")))
    }

    /// Has one contender introduce itself; what it is for, if it can say so.
    fn enter(
        &mut self,
        contender: &Contender,
        role: Role,
        catalogue: &mut Option<Catalogue>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Option<Kind>, Error> {
        let (status, launch, greeting, found) = match introduce(contender, &self.settings) {
            Ok(i) => (Status::Ok, i.launch, Some(i.greeting), Some(i.catalogue)),
            Err(status) => (status, Launch::default(), None, None),
        };
        observe(Event::Greeted { contender: &contender.name, status: &status });
        if catalogue.is_none() {
            *catalogue = found;
        }
        let row = contender_row(contender, role, status.clone(), greeting);
        let kind = row.identity.as_ref().map(|identity| identity.kind);
        let (name, contender) = (contender.name.clone(), contender.clone());
        self.entrants.push(Entrant { name, role, kind, contender, launch, status });
        self.note(Row::Contender(Box::new(row)))?;
        Ok(kind)
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
        let status = match introduce(&contender, &self.settings) {
            Ok(introduced) if introduced.greeting.kind != WorkerKind::Counter => {
                return Err(Error::Usage(format!("{name:?} does not count; it cannot stand for the counting worker")));
            }
            Ok(_) => Status::Ok,
            Err(status) => status,
        };
        let (role, kind, launch) = (Role::Contender, Some(Kind::Counter), Launch::default());
        Ok(Entrant { name, role, kind, contender, launch, status })
    }

    /// The workloads that can be measured: the reference's.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Where the record is written, if it is.
    pub fn record_path(&self) -> Option<&std::path::Path> {
        self.file.as_ref().map(RecordFile::path)
    }

    /// How the run is made.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What has been measured so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Measures one case to its end. Fails if the case makes no sense, or the record cannot be written; whatever happens to
    /// a contender is part of the outcome.
    pub fn measure(&mut self, case: &Case, observe: &mut dyn FnMut(Event<'_>)) -> Result<CaseOutcome, Error> {
        self.measure_all(std::slice::from_ref(case), observe)?;
        Ok(CaseOutcome::of(&self.record, case))
    }

    /// Measures these cases, their blocks shuffled among each other, until the stopping rule is met or the run is
    /// cancelled. Every case is checked before the first is measured.
    ///
    /// In a resumed run, blocks that are complete are not measured again.
    pub fn measure_all(&mut self, cases: &[Case], observe: &mut dyn FnMut(Event<'_>)) -> Result<Outcome, Error> {
        for case in cases {
            self.catalogue.check(case)?;
        }
        self.begin_record()?;
        self.plan(cases)?;
        let used = self.record.blocks.iter().map(|block| block.wall_ns).fold(0, u64::saturating_add);
        let pacing = Pacing::new(self.settings.stop, Duration::from_nanos(used));
        let mut courses = Vec::new();
        for case in cases {
            if !self.is_cancelled() {
                courses.extend(self.begin(case, observe)?);
            }
        }
        // A resumed run goes on in the round in which it was interrupted: with the cases that are a block behind.
        let first = courses.iter().map(|course| course.done).min().unwrap_or(0);
        for round in first.. {
            if self.is_cancelled() || !courses.iter().any(|course| self.needs_more(course, pacing)) {
                break;
            }
            let mut rng = Rng::with_seed(seed_for(self.settings.seed, &format!("round {round}")));
            for index in shuffled(courses.len(), &mut rng) {
                let course = &mut courses[index];
                // Other cases of this round may have used up the budget.
                if course.done <= round && self.needs_more(course, pacing) && !self.is_cancelled() {
                    self.next_block(course, observe)?;
                }
            }
        }
        Ok(Outcome::of(&self.record))
    }

    fn is_cancelled(&self) -> bool {
        self.settings.cancel.is_cancelled()
    }

    /// Whether a case gets another block, if there is anybody left to take part in it.
    fn needs_more(&self, course: &Course, pacing: Pacing) -> bool {
        let pairs = || log_ratios_for_precision(&self.record, &course.row.case);
        course.out.contains(&false) && !pacing.is_enough(course.done, course.block, pairs)
    }

    /// Calibrates a case, or finds what it was calibrated to before an interruption. Nothing if nobody can do the work.
    fn begin(&mut self, case: &Case, observe: &mut dyn FnMut(Event<'_>)) -> Result<Option<Course>, Error> {
        let known = self.record.cases.iter().find(|row| row.case == *case).cloned();
        let row = match known {
            Some(row) => row,
            None => match self.calibrate(case, observe)? {
                Some(row) => row,
                None => return Ok(None),
            },
        };
        observe(Event::Calibrated(&row));
        for index in 0..self.entrants.len() {
            let entrant = &self.entrants[index];
            // Who cannot even introduce itself has its row at once, and not only if there is time for a block.
            if !entrant.status.is_ok() && !self.has_failed(case, &entrant.name) {
                let sample = blank(entrant, case, 0, row.arrangements[0], 0);
                self.sampled(sample, observe)?;
            }
        }
        let out = self.entrants.iter().map(|entrant| self.has_failed(case, &entrant.name)).collect();
        let limits = limits_for(self.settings.limits, row.turn);
        let settings = Settings { limits, ..self.settings.clone() };
        let (done, block) = self.progress(&row);
        let course = Course { row, settings, out, done, block };
        if self.record.counts.iter().all(|counts| counts.case != *case) {
            self.count(&course)?;
        }
        Ok(Some(course))
    }

    fn has_failed(&self, case: &Case, contender: &str) -> bool {
        self.record.samples_of(case).any(|sample| sample.contender == contender && !sample.status.is_ok())
    }

    /// Blocks of a case that are complete, and how long one takes: the longest so far, or else a guess.
    fn progress(&self, row: &CaseRow) -> (u32, Duration) {
        let ours = || self.record.blocks.iter().filter(|block| block.case == row.case);
        let complete = |&block: &u32| {
            row.arrangements.iter().all(|&arrangement| self.record.is_complete(&row.case, block, arrangement))
        };
        let done = (0..u32::MAX).find(|block| !complete(block)).unwrap_or(u32::MAX);
        let longest = |arrangement| ours().filter(|b| b.arrangement == arrangement).map(|b| b.wall_ns).max();
        let guess = |arrangement: Arrangement| {
            let sample = match arrangement {
                Arrangement::Turns => row.turn.0.saturating_mul(u64::from(row.turns)),
                Arrangement::Alone => {
                    let quiet = quiet_time(&row.settle_ms);
                    row.turn.0.saturating_mul(u64::from(self.turns_alone(row))).saturating_add(quiet.0)
                }
            };
            sample.saturating_mul(self.entrants.len() as u64)
        };
        let block = row.arrangements.iter().map(|&a| longest(a).unwrap_or_else(|| guess(a)));
        let block = block.fold(0, u64::saturating_add);
        (done, Duration::from_nanos(block))
    }

    /// Calibrates on the reference, else on the first contender that can do the work. Those who cannot get a row that says
    /// so.
    fn calibrate(&mut self, case: &Case, observe: &mut dyn FnMut(Event<'_>)) -> Result<Option<CaseRow>, Error> {
        let workload = self.catalogue.check(case)?.clone();
        let mut found = None;
        for index in 0..self.entrants.len() {
            match calibrate(&self.entrants[index], case, &self.settings) {
                Ok(calibration) => {
                    found = Some(calibration);
                    break;
                }
                Err(_) if self.is_cancelled() => return Ok(None),
                Err(status) => {
                    let sample = blank(&self.entrants[index], case, 0, Arrangement::Alone, 0);
                    self.sampled(Sample { status, ..sample }, observe)?;
                }
            }
        }
        let Some(calibration) = found else { return Ok(None) };
        let no_turns = self.why_no_turns(&calibration);
        let arrangements = match no_turns {
            Some(_) => vec![Arrangement::Alone],
            None => self.settings.arrangements.clone(),
        };
        let row = CaseRow {
            case: case.clone(),
            turns_alone: Some(self.settings.turns_alone_of(&workload)),
            over_time: workload.is_over_time(),
            settle_ms: self.settings.settle_of(&workload),
            unit: workload.unit,
            parameters_in_force: calibration.parameters,
            lanes: calibration.lanes,
            turn_units: calibration.turn_units,
            turn: calibration.turn,
            turns: self.settings.turns_for(calibration.turn, calibration.overhead),
            arrangements,
            no_turns,
        };
        self.note(Row::Case(Box::new(row.clone())))?;
        Ok(Some(row))
    }

    /// Why the workers of a block cannot be alive together: they would not fit into memory.
    fn why_no_turns(&self, calibration: &Calibration) -> Option<String> {
        let (peak, available) = (calibration.peak?.0, Load::read().available?.0);
        // Half as much again for contenders that need more than the reference, and a fifth of the memory left alone.
        let needed = peak.saturating_mul(self.entrants.len() as u64).saturating_mul(3) / 2;
        (needed > available / 5 * 4).then(|| {
            let workers = self.entrants.len();
            format!("{workers} workers of about {} each do not fit into {}", Bytes(peak), Bytes(available))
        })
    }

    /// Measures the next block of a case, in every arrangement. A block during which the run is cancelled is dropped whole.
    fn next_block(&mut self, course: &mut Course, observe: &mut dyn FnMut(Event<'_>)) -> Result<(), Error> {
        let case = &course.row.case;
        observe(Event::Block { case, block: course.done, blocks: self.settings.blocks() });
        let mut whole = Duration::ZERO;
        for &arrangement in &course.row.arrangements {
            if self.record.is_complete(case, course.done, arrangement) {
                continue;
            }
            let staying: Vec<Entrant> =
                self.entrants.iter().zip(&course.out).filter(|(_, out)| !**out).map(|(e, _)| e.clone()).collect();
            let work = self.work(course, &course.row.settle_ms);
            let measured = Block { entrants: &staying, work, number: course.done, arrangement }.measure();
            if self.is_cancelled() {
                return Ok(());
            }
            whole += measured.wall.duration();
            let timed_ns = measured.samples.iter().map(|sample| sample.wall_ns).fold(0, u64::saturating_add);
            // All of them are kept before a failure to write one ends the run.
            let mut written = Ok(());
            for sample in measured.samples {
                let failed = |entrant: &&Entrant| entrant.name == sample.contender && !sample.status.is_ok();
                if let Some(index) = self.entrants.iter().position(|entrant| failed(&entrant)) {
                    course.out[index] = true;
                }
                written = written.and(self.sampled(sample, observe));
            }
            let (case, wall_ns) = (case.clone(), measured.wall.0);
            let row = Row::Block(BlockRow { case, block: course.done, arrangement, wall_ns, timed_ns });
            if written.is_err() {
                // It was measured, so it counts in what is shown; a file that lacks one of its samples must not say so.
                self.record.push(row);
                return written;
            }
            self.note(row)?;
            self.sync()?;
        }
        course.block = if course.done == 0 { whole } else { course.block.max(whole) };
        course.done += 1;
        Ok(())
    }

    /// Ends the run; [`Session::record`] is complete then, even where the file could not be. A run that was cancelled has no
    /// end row, so that it can be resumed.
    pub fn finish(&mut self) -> Result<(), Error> {
        if !self.is_cancelled() {
            self.begin_record()?;
            self.note(Row::End(EndRow { load: Load::read() }))?;
        }
        self.sync()
    }

    /// Asks the counting backend about the same work.
    fn count(&mut self, course: &Course) -> Result<(), Error> {
        let Some(entrant) = &self.counting else { return Ok(()) };
        let work = self.work(course, &[]);
        let seed = input_seed(work.settings.seed, 0);
        let mut running = Running::start(entrant, work, 0, Arrangement::Alone, seed, 0);
        run_undisturbed(&mut running, work);
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
        if self.is_cancelled() { Ok(()) } else { self.note(Row::Counts(row)) }
    }

    /// What is the same for all samples of a case that are read again after these quiet times.
    fn work<'a>(&self, course: &'a Course, settle_ms: &[u64]) -> Work<'a> {
        Work {
            case: &course.row.case,
            settings: &course.settings,
            turn_units: course.row.turn_units,
            turns: course.row.turns,
            turns_alone: self.turns_alone(&course.row),
            settle: Numbers::new(settle_ms.iter().copied()).unwrap_or_default(),
        }
    }

    fn turns_alone(&self, row: &CaseRow) -> u32 {
        row.turns_alone.unwrap_or(self.settings.turns_alone)
    }

    /// How long a run of these cases takes at least, were nothing but turns and quiet times to take time; nothing where that
    /// depends on what comes out, or where one is not in the catalogue.
    pub fn least_time(&self, cases: &[Case]) -> Option<Nanos> {
        let blocks = u64::from(self.settings.blocks()?);
        let of_case = |case: &Case| {
            let workload = self.catalogue.find(&case.workload)?;
            let of = |arrangement: &Arrangement| {
                let (turns, quiet) = match arrangement {
                    Arrangement::Turns => (self.settings.turns, Nanos(0)),
                    Arrangement::Alone => {
                        let quiet = quiet_time(&self.settings.settle_of(workload));
                        (self.settings.turns_alone_of(workload), quiet)
                    }
                };
                let turns = u64::from(turns.saturating_add(self.settings.warm_turns));
                self.settings.turn.0.saturating_mul(turns).saturating_add(quiet.0)
            };
            Some(self.settings.arrangements.iter().map(of).fold(0, u64::saturating_add))
        };
        let sample = cases.iter().map(of_case).try_fold(0_u64, |sum, time| Some(sum.saturating_add(time?)))?;
        Some(Nanos(sample.saturating_mul(self.entrants.len() as u64).saturating_mul(blocks)))
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

/// The quiet time at the end of a sample: the last moment at which memory is read.
fn quiet_time(settle_ms: &[u64]) -> Nanos {
    Nanos(settle_ms.iter().copied().max().unwrap_or(0).saturating_mul(1_000_000))
}

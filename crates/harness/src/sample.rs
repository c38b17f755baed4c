//! The life of one sample: start, prepare, take turns, finish. Whatever goes wrong ends the sample with a status and
//! keeps what was measured until then.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use heapmark_protocol::Turned;

use crate::process::{Conversation, Start, check_knobs};
use crate::record::{MemoryRow, Role, Sample};
use crate::{Arrangement, Bytes, Case, Contender, Nanos, Settings, Status};

/// Someone who takes part in a run: a contender in a role, with its knobs translated to variables.
#[derive(Clone, Debug)]
pub(crate) struct Entrant {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) contender: Contender,
    pub(crate) variables: BTreeMap<String, String>,
    /// `Ok` if it may be measured.
    pub(crate) status: Status,
}

/// What is the same for all samples of a case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work<'a> {
    pub(crate) case: &'a Case,
    pub(crate) settings: &'a Settings,
    pub(crate) turn_units: u64,
    /// Turns of a sample in [`Arrangement::Turns`].
    pub(crate) turns: u32,
}

/// A sample in the making.
#[derive(Debug)]
pub(crate) struct Running<'a> {
    work: Work<'a>,
    conversation: Option<Conversation>,
    sample: Sample,
    /// Calls and bytes over the timed turns, from a counting worker.
    pub(crate) counted: (u64, u64),
    /// Peak live bytes, from a counting worker.
    pub(crate) peak_live: Option<u64>,
    pub(crate) lanes: u64,
    pub(crate) parameters: BTreeMap<String, String>,
}

impl<'a> Running<'a> {
    /// Starts the worker and has it prepare the workload.
    pub(crate) fn start(
        entrant: &Entrant,
        work: Work<'a>,
        block: u32,
        arrangement: Arrangement,
        seed: u64,
        padding: usize,
    ) -> Self {
        let sample = blank(entrant, work.case, block, arrangement, padding);
        let mut running = Self {
            work,
            conversation: None,
            sample,
            counted: (0, 0),
            peak_live: None,
            lanes: 0,
            parameters: BTreeMap::new(),
        };
        if running.sample.status.is_ok() {
            let result = running.prepare(entrant, seed, padding);
            running.note(result);
        }
        running
    }

    fn prepare(&mut self, entrant: &Entrant, seed: u64, padding: usize) -> Result<(), Status> {
        let program: &Path =
            entrant.contender.worker.program.as_deref().map_err(|why| Status::NotBuilt { detail: why.clone() })?;
        let begun = Instant::now();
        let settings = self.work.settings;
        let mut conversation = Conversation::open(program, &Start::new(settings, padding, &entrant.variables))?;
        check_knobs(&entrant.contender, conversation.greeting())?;
        self.sample.start_ns = Nanos::from(begun.elapsed()).0;
        self.sample.start_rss = conversation.greeting().start_rss.map(Bytes);
        let (prepared, parameters) = conversation.prepare(self.work.case, seed)?;
        self.sample.prepare_ns = prepared.prepare_ns;
        self.sample.base_rss = prepared.base_rss.map(Bytes);
        self.sample.peak_reset = prepared.peak_reset;
        self.lanes = prepared.lanes;
        self.parameters = parameters;
        self.conversation = Some(conversation);
        Ok(())
    }

    /// Whether all went well so far.
    pub(crate) fn is_alive(&self) -> bool {
        self.conversation.is_some()
    }

    /// Keeps a failure, and ends the worker for it.
    fn note(&mut self, result: Result<(), Status>) {
        if let Err(status) = result {
            self.sample.status = status;
            self.conversation = None;
        }
    }

    /// An untimed turn.
    pub(crate) fn warm_turn(&mut self) {
        self.one_turn(self.work.turn_units);
    }

    /// A timed turn, which came at `position` in its round.
    pub(crate) fn turn(&mut self, position: u32) {
        let units = self.work.turn_units;
        let begun = Instant::now();
        let Some(turned) = self.one_turn(units) else { return };
        let waited = Nanos::from(begun.elapsed()).0;
        let sample = &mut self.sample;
        add(&mut sample.exchange_ns, waited.saturating_sub(turned.wall_ns));
        add(&mut sample.units, turned.count);
        add(&mut sample.wall_ns, turned.wall_ns);
        add(&mut sample.user_ns, turned.user_ns);
        add(&mut sample.system_ns, turned.system_ns);
        add(&mut sample.idle_cpu_ns, turned.idle_cpu_ns);
        add(&mut sample.minor_faults, turned.minor_faults);
        add(&mut sample.major_faults, turned.major_faults);
        add(&mut sample.voluntary_switches, turned.voluntary_switches);
        add(&mut sample.involuntary_switches, turned.involuntary_switches);
        sample.turns.wall_ns.push(turned.wall_ns);
        sample.turns.user_ns.push(turned.user_ns);
        sample.turns.system_ns.push(turned.system_ns);
        sample.turns.idle_cpu_ns.push(turned.idle_cpu_ns);
        sample.turns.position.push(position);
        sample.turns.checksum.push(turned.checksum);
        add(&mut self.counted.0, turned.calls.unwrap_or(0));
        add(&mut self.counted.1, turned.requested.unwrap_or(0));
    }

    /// A turn of so many units, for calibration; nothing if the worker failed.
    pub(crate) fn one_turn(&mut self, units: u64) -> Option<Turned> {
        match self.conversation.as_mut()?.turn(units) {
            Ok(turned) => Some(turned),
            Err(status) => {
                self.note(Err(status));
                None
            }
        }
    }

    /// Ends the sample.
    pub(crate) fn finish(&mut self) {
        let Some(conversation) = self.conversation.take() else { return };
        let begun = Instant::now();
        // What is there for its time leaves its heap to the kernel.
        let drain = self.sample.arrangement == Arrangement::Alone;
        let finished = conversation.finish(drain, self.work.settings.settle_ms);
        self.sample.finish_ns = Nanos::from(begun.elapsed()).0;
        match finished {
            Ok(finished) => {
                self.sample.checksum = finished.outcome.checksum;
                self.sample.peak_rss = finished.outcome.peak_rss.map(Bytes);
                self.peak_live = finished.outcome.peak_live;
                for phase in finished.phases {
                    let row = MemoryRow {
                        rss: phase.rss.map(Bytes),
                        anonymous: phase.anonymous.map(Bytes),
                        lazy_free: phase.lazy_free.map(Bytes),
                        private_dirty: phase.private_dirty.map(Bytes),
                        huge: phase.huge.map(Bytes),
                    };
                    self.sample.memory.insert(phase.name.word().to_owned(), row);
                }
            }
            Err(status) => self.sample.status = status,
        }
    }

    /// The sample as it stands.
    pub(crate) fn into_sample(self) -> Sample {
        self.sample
    }

    pub(crate) fn sample(&self) -> &Sample {
        &self.sample
    }
}

/// Adds to a total. What a worker says can be any number, and a sum that leaves the range is as useless as its greatest
/// value.
fn add(total: &mut u64, more: u64) {
    *total = total.saturating_add(more);
}

/// A sample of which nothing is known yet but who it is about; its status is the entrant's.
pub(crate) fn blank(entrant: &Entrant, case: &Case, block: u32, arrangement: Arrangement, padding: usize) -> Sample {
    let status = entrant.status.clone();
    Sample { status, padding, ..Sample::new(case.clone(), &entrant.name, entrant.role, block, arrangement) }
}

/// Marks samples whose results differ from the reference's. Where the reference itself failed, the first good sample
/// stands in for it.
pub(crate) fn compare_results(samples: &mut [Sample]) {
    let good = |sample: &&Sample| sample.status.is_ok();
    let model = samples.iter().filter(good).find(|sample| sample.role == Role::Reference);
    let Some(model) = model.or_else(|| samples.iter().find(good)).cloned() else { return };
    for sample in samples.iter_mut().filter(|sample| sample.status.is_ok()) {
        if (sample.units, sample.checksum, &sample.turns.checksum)
            != (model.units, model.checksum, &model.turns.checksum)
        {
            let detail = format!(
                "{} units with checksum {:016x}, where {} has {} with {:016x}",
                sample.units, sample.checksum, model.contender, model.units, model.checksum
            );
            sample.status = Status::WrongResult { detail };
        }
    }
}

//! The life of one sample: start, prepare, take turns, finish. Whatever goes wrong ends the sample with a status and
//! keeps what was measured until then.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Instant;

use heapmark_protocol::{Numbers, PhaseName, Turned};

use crate::process::{Conversation, Launch, Start, check_knobs};
use crate::record::{Kind, LatencyRow, MemoryRow, Role, Sample, SettledRow};
use crate::{Arrangement, Bytes, Case, Contender, Nanos, Settings, Status};

/// Someone who takes part in a run: a contender in a role, and how its worker is started.
#[derive(Clone, Debug)]
pub(crate) struct Entrant {
    pub(crate) name: String,
    pub(crate) role: Role,
    /// What it is for; absent if it could not be asked.
    pub(crate) kind: Option<Kind>,
    pub(crate) contender: Contender,
    pub(crate) launch: Launch,
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
    /// Turns of a sample in [`Arrangement::Alone`].
    pub(crate) turns_alone: u32,
    /// After how much quiet time memory is read again in [`Arrangement::Alone`].
    pub(crate) settle: Numbers,
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
    /// Units that a turn should have at least.
    pub(crate) least_units: u64,
    pub(crate) parameters: BTreeMap<String, String>,
    progress: Progress,
}

/// How far a sample came.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// Turns that were done, untimed ones included.
    turns: u32,
    /// Resident memory after the last of them.
    last_rss: Option<Bytes>,
    /// The most that was resident after any of them.
    highest_rss: Option<Bytes>,
}

impl Progress {
    fn note(&mut self, turned: &Turned) {
        self.turns = self.turns.saturating_add(1);
        self.last_rss = turned.rss.map(Bytes);
        self.highest_rss = self.highest_rss.max(self.last_rss);
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.turns {
            0 => return f.write_str("; in its first turn"),
            1 => f.write_str("; after 1 turn")?,
            turns => write!(f, "; after {turns} turns")?,
        }
        self.last_rss.map_or(Ok(()), |rss| write!(f, ", with {rss} resident"))
    }
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
            least_units: 0,
            parameters: BTreeMap::new(),
            progress: Progress::default(),
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
        let mut conversation = Conversation::open(program, &Start::new(settings, padding, &entrant.launch))?;
        check_knobs(&entrant.contender, conversation.greeting())?;
        self.sample.start_ns = Nanos::from(begun.elapsed()).0;
        self.sample.start_rss = conversation.greeting().start_rss.map(Bytes);
        let (prepared, parameters) = conversation.prepare(self.work.case, seed)?;
        self.sample.prepare_ns = prepared.prepare_ns;
        self.sample.base_rss = prepared.base_rss.map(Bytes);
        self.sample.peak_reset = prepared.peak_reset;
        self.lanes = prepared.lanes;
        self.least_units = prepared.least_units.unwrap_or(0);
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
        sample.turns.rss.extend(turned.rss.map(Bytes));
        add(&mut self.counted.0, turned.calls.unwrap_or(0));
        add(&mut self.counted.1, turned.requested.unwrap_or(0));
    }

    /// A turn of so many units, for calibration; nothing if the worker failed.
    pub(crate) fn one_turn(&mut self, units: u64) -> Option<Turned> {
        match self.conversation.as_mut()?.turn(units) {
            Ok(turned) => {
                self.progress.note(&turned);
                Some(turned)
            }
            Err(status) => {
                self.note(Err(status.with_progress(&self.progress.to_string())));
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
        let finished = conversation.finish(drain, if drain { self.work.settle } else { Numbers::default() });
        self.sample.finish_ns = Nanos::from(begun.elapsed()).0;
        match finished {
            Ok(finished) => {
                self.sample.checksum = finished.outcome.checksum;
                // The kernel's peak can lag behind a reading that came before it; where there is none, readings are none either.
                let peak = finished.outcome.peak_rss.map(Bytes);
                self.sample.peak_rss = peak.map(|peak| self.progress.highest_rss.unwrap_or_default().max(peak));
                self.peak_live = finished.outcome.peak_live;
                self.sample.latency = finished.latency.map(LatencyRow::from);
                for phase in finished.phases {
                    let row = MemoryRow::from(&phase);
                    match (phase.name, phase.settled_ms) {
                        (PhaseName::Settled, Some(after_ms)) => {
                            self.sample.settled.push(SettledRow { after_ms, memory: row });
                        }
                        (name, _) => {
                            self.sample.memory.insert(name.word().to_owned(), row);
                        }
                    }
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

/// Marks samples whose results differ from the reference's. Where the reference itself failed, or changes the work, the
/// first good sample that does not stands in for it.
///
/// A handicap does more than was asked for, so its checksums are nobody's; its counts still have to be.
pub(crate) fn compare_results(samples: &mut [Sample], entrants: &[Entrant]) {
    let handicapped = |sample: &Sample| {
        let is_its = |entrant: &&Entrant| entrant.name == sample.contender;
        entrants.iter().find(is_its).is_some_and(|entrant| entrant.kind == Some(Kind::Handicap))
    };
    let mut good: Vec<&Sample> = samples.iter().filter(|sample| sample.status.is_ok()).collect();
    good.sort_by_key(|sample| (handicapped(sample), sample.role != Role::Reference));
    let Some(model) = good.first().copied().cloned() else { return };
    for sample in samples.iter_mut().filter(|sample| sample.status.is_ok()) {
        let checksums = (sample.checksum, &sample.turns.checksum) == (model.checksum, &model.turns.checksum);
        if sample.units != model.units || !(checksums || handicapped(sample)) {
            let detail = format!(
                "{} units with checksum {:016x}, where {} has {} with {:016x}",
                sample.units, sample.checksum, model.contender, model.units, model.checksum
            );
            sample.status = Status::WrongResult { detail };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Worker;

    #[test]
    fn how_far_a_sample_came_is_told() {
        let mut progress = Progress::default();
        assert_eq!(progress.to_string(), "; in its first turn");
        let turned = |rss| Turned {
            count: 1,
            checksum: 0,
            wall_ns: 1,
            user_ns: 1,
            system_ns: 0,
            idle_cpu_ns: 0,
            minor_faults: 0,
            major_faults: 0,
            voluntary_switches: 0,
            involuntary_switches: 0,
            calls: None,
            requested: None,
            rss,
        };
        progress.note(&turned(None));
        assert_eq!(progress.to_string(), "; after 1 turn");
        progress.note(&turned(Some(50 << 20)));
        progress.note(&turned(Some(20 << 20)));
        assert_eq!(progress.to_string(), "; after 3 turns, with 20.0 MiB resident");
        assert_eq!(progress.highest_rss, Some(Bytes(50 << 20)));
        let killed = Status::Signal { signal: 9, detail: "working".into() }.with_progress(&progress.to_string());
        assert_eq!(killed.to_string(), "killed by SIGKILL: working; after 3 turns, with 20.0 MiB resident");
        let refused = Status::Refused { detail: "no".into() };
        assert_eq!(refused.clone().with_progress("; after 1 turn"), refused, "it did not end in its work");
    }

    fn entrant(name: &str, role: Role, kind: Kind) -> Entrant {
        let (contender, status) = (Contender::plain(Worker::at(name, "")), Status::Ok);
        Entrant { name: name.into(), role, kind: Some(kind), contender, launch: Launch::default(), status }
    }

    fn sample(entrant: &Entrant, units: u64, checksum: u64) -> Sample {
        let sample = blank(entrant, &Case::new("a/b"), 0, Arrangement::Turns, 0);
        let turns = crate::record::Turns { checksum: vec![checksum], ..Default::default() };
        Sample { units, checksum, turns, ..sample }
    }

    /// Who did wrong work, if the samples of these entrants have these units and checksums.
    fn wrong(entrants: &[Entrant], results: &[(u64, u64)]) -> Vec<String> {
        let samples =
            entrants.iter().zip(results).map(|(entrant, (units, checksum))| sample(entrant, *units, *checksum));
        let mut samples: Vec<Sample> = samples.collect();
        compare_results(&mut samples, entrants);
        samples.into_iter().filter(|sample| !sample.status.is_ok()).map(|sample| sample.contender).collect()
    }

    #[test]
    fn checksums_have_to_be_the_references_but_for_a_handicap() {
        let entrants = [
            entrant("handicap", Role::Contender, Kind::Handicap),
            entrant("other", Role::Contender, Kind::Allocator),
            entrant("reference", Role::Reference, Kind::Allocator),
        ];
        assert!(wrong(&entrants, &[(10, 7), (10, 7), (10, 7)]).is_empty());
        assert!(wrong(&entrants, &[(10, 8), (10, 7), (10, 7)]).is_empty());
        assert_eq!(wrong(&entrants, &[(11, 7), (10, 7), (10, 7)]), ["handicap"]);
        assert_eq!(wrong(&entrants, &[(10, 8), (10, 8), (10, 7)]), ["other"]);
    }

    #[test]
    fn checksums_of_a_handicap_are_nobodys_even_where_it_is_the_reference() {
        let entrants = [
            entrant("handicap", Role::Reference, Kind::Handicap),
            entrant("one", Role::Contender, Kind::Allocator),
            entrant("two", Role::Contender, Kind::Allocator),
        ];
        assert!(wrong(&entrants, &[(10, 8), (10, 7), (10, 7)]).is_empty());
        assert_eq!(wrong(&entrants, &[(10, 8), (10, 7), (10, 8)]), ["two"]);
    }
}

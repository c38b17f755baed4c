//! From the rows of a record to outcomes: pairs samples by block, estimates, judges, and holds the twin against it.

use crate::outcome::{Alarm, CaseOutcome, Compared, ContenderOutcome, CrossChecks, IDLE_CPU_LIMIT, Metric, Outcome};
use crate::over_time::{LEAST_RETAINED, OverTime, retained};
use crate::record::{CaseRow, CountsRow, LatencyRow, Record, Role, Sample};
use crate::served::Served;
use crate::stats::{
    BlockRatio, Direction, Estimate, PairEstimate, blocks_needed, judge, median, minimum_detectable, sign_flip_test,
    t_interval, twin_differs,
};
use crate::{Arrangement, Bytes, Case, Error, Nanos, Settings, Status, UnitsPerSecond};

impl Outcome {
    /// What a record says.
    pub fn of(record: &Record) -> Self {
        Self::by(record, Scale::of(record))
    }

    /// What a record says by another reference or margin than it was made with. All have a sample in each block, so that
    /// any of them can be compared with any other. Fails if no contender of the record has this name.
    pub fn judged(record: &Record, reference: Option<&str>, margin: Option<f64>) -> Result<Self, Error> {
        let mut scale = Scale::of(record);
        if let Some(name) = reference {
            let known = || record.contenders.iter().filter(|row| row.role != Role::Twin).map(|row| row.name.as_str());
            if !known().any(|other| other == name) {
                let known = known().collect::<Vec<_>>().join(", ");
                return Err(Error::Usage(format!("the record has no contender {name:?}; it has {known}")));
            }
            scale.reference = Some(name);
        }
        scale.margin = margin.unwrap_or(scale.margin);
        Ok(Self::by(record, scale))
    }

    fn by(record: &Record, scale: Scale<'_>) -> Self {
        let mut cases: Vec<&Case> = Vec::new();
        for case in record.cases.iter().map(|row| &row.case).chain(record.samples.iter().map(|sample| &sample.case)) {
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
        let (cases, alarms) = analyse(record, &cases, scale);
        let reference = scale.reference.unwrap_or_default().to_owned();
        Self { reference, margin: scale.margin, cases, alarms }
    }
}

impl CaseOutcome {
    /// What a record says about one case, without regard to its controls. A case that the record lacks has no contenders.
    pub fn of(record: &Record, case: &Case) -> Self {
        let (mut cases, _) = analyse(record, &[case], Scale::of(record));
        cases.pop().unwrap_or_else(|| unreachable!("one case in, one out"))
    }
}

/// What everyone is compared with, and how much has to differ.
#[derive(Clone, Copy, Debug)]
struct Scale<'a> {
    reference: Option<&'a str>,
    margin: f64,
}

impl<'a> Scale<'a> {
    /// What the record was made with.
    fn of(record: &'a Record) -> Self {
        Self {
            reference: recorded_reference(record),
            margin: record.run.as_ref().map_or(Settings::default().margin, |run| run.settings.margin),
        }
    }
}

/// The contender that took part as the reference, and whose copy the twin is.
fn recorded_reference(record: &Record) -> Option<&str> {
    let row = record.contenders.iter().find(|row| row.role == Role::Reference).map(|row| row.name.as_str());
    row.or_else(|| record.run.as_ref().map(|run| run.reference.as_str()))
}

/// The outcomes of these cases, in their order, and what the controls among them found. They are one family: the more
/// workloads there are, the stronger the evidence must be that a twin differs.
///
/// Everyone has a sample in each block, so that anyone can be the reference. The twin is always held against what it is a
/// copy of.
fn analyse<'a>(record: &'a Record, cases: &[&'a Case], scale: Scale<'a>) -> (Vec<CaseOutcome>, Vec<Alarm>) {
    let views: Vec<CaseView<'_>> = cases.iter().map(|case| CaseView::new(record, case, scale.reference)).collect();
    let margin = scale.margin;
    let mut outcomes: Vec<CaseOutcome> = views.iter().map(|view| view.outcome(margin)).collect();
    for metric in Metric::ALL {
        let twins: Vec<Vec<f64>> = views.iter().map(|view| view.twin_log_ratios(metric)).collect();
        for (outcome, differs) in outcomes.iter_mut().zip(twin_differs(&twins, margin)) {
            if differs {
                distrust(outcome, metric);
            }
        }
    }
    let alarms =
        [Metric::Wall, Metric::Cpu, Metric::PeakRss].map(|metric| alarms_of(&views, &mut outcomes, metric, margin));
    let alarms: Vec<Alarm> = alarms.into_iter().flatten().collect();
    for outcome in outcomes.iter_mut().filter(|outcome| !outcome.case.is_control()) {
        for alarm in &alarms {
            if let Some(contender) = outcome.contenders.iter_mut().find(|contender| contender.name == alarm.contender) {
                contender.uncall(alarm.metric);
            }
        }
    }
    (outcomes, alarms)
}

/// Who differs from the reference in a control. All pairs of all controls are one family, as the twins are: in a control a
/// difference is only called where it holds among them.
fn alarms_of(views: &[CaseView<'_>], outcomes: &mut [CaseOutcome], metric: Metric, margin: f64) -> Vec<Alarm> {
    let mut pairs = Vec::new();
    let mut log_ratios = Vec::new();
    for (view, outcome) in views.iter().zip(outcomes).filter(|(view, _)| view.case.is_control()) {
        let is_trusted = !outcome.distrusted.contains(&metric);
        for contender in &mut outcome.contenders {
            let Some(compared) = contender.compared(metric) else { continue };
            log_ratios.push(view.log_ratios(view.to_reference(&contender.name), metric));
            pairs.push((view.case, is_trusted && compared.verdict.is_difference(), contender));
        }
    }
    let mut alarms = Vec::new();
    for ((case, is_called, contender), differs) in pairs.into_iter().zip(twin_differs(&log_ratios, margin)) {
        let Some(compared) = contender.compared(metric).filter(|_| is_called) else { continue };
        if differs {
            let (case, contender) = (case.clone(), contender.name.clone());
            alarms.push(Alarm { case, contender, metric, verdict: compared.verdict });
        } else {
            contender.uncall(metric);
        }
    }
    alarms
}

/// The samples of a contender in a case from which this metric is read, in the order of their blocks.
pub(crate) fn samples_for<'a>(record: &'a Record, case: &'a Case, name: &str, metric: Metric) -> Vec<&'a Sample> {
    let mut samples = CaseView::new(record, case, None).samples_for(name, metric);
    samples.sort_by_key(|sample| sample.block);
    samples
}

/// One contender ÷ another in a case, whoever the reference is. Nothing where they have no block in common.
pub(crate) fn ratio_of(record: &Record, case: &Case, pair: (&str, &str), metric: Metric) -> Option<Estimate> {
    let pair = Pair { ours: pair.0, theirs: Some(pair.1) };
    let view = CaseView::new(record, case, None);
    PairEstimate::of(&view.block_ratios(pair, metric)).map(|pair| *pair.deciding())
}

/// The log-ratios of every pair whose precision matters to the stopping rule: CPU time and memory of everyone who has not
/// failed.
pub(crate) fn log_ratios_for_precision(record: &Record, case: &Case) -> Vec<Vec<f64>> {
    let view = CaseView::new(record, case, recorded_reference(record));
    let names = view.names(|role| role != Role::Reference);
    let alive = names.filter(|name| view.status_of(name).is_ok());
    alive
        .flat_map(|name| [Metric::Cpu, Metric::PeakRss].map(|metric| view.log_ratios(view.to_reference(name), metric)))
        .filter(|log_ratios| !log_ratios.is_empty())
        .collect()
}

/// Where two copies of one program are called different, no difference of that metric can be believed.
fn distrust(outcome: &mut CaseOutcome, metric: Metric) {
    outcome.distrusted.push(metric);
    outcome.contenders.iter_mut().for_each(|contender| contender.uncall(metric));
}

/// Two who took part: one, and whom it is compared with.
#[derive(Clone, Copy)]
struct Pair<'a> {
    ours: &'a str,
    theirs: Option<&'a str>,
}

/// The samples of one case that count, and how to read them.
struct CaseView<'a> {
    record: &'a Record,
    case: &'a Case,
    reference: Option<&'a str>,
    samples: Vec<&'a Sample>,
    time_from: Option<Arrangement>,
    memory_from: Option<Arrangement>,
}

impl<'a> CaseView<'a> {
    fn new(record: &'a Record, case: &'a Case, reference: Option<&'a str>) -> Self {
        let samples: Vec<&Sample> = record.counting_samples(case).collect();
        let made = |arrangement| samples.iter().any(|s| s.arrangement == arrangement && s.status.is_ok());
        let first_made = |order: [Arrangement; 2]| order.into_iter().find(|&arrangement| made(arrangement));
        let time_from = first_made([Arrangement::Turns, Arrangement::Alone]);
        let memory_from = first_made([Arrangement::Alone, Arrangement::Turns]);
        Self { record, case, reference, samples, time_from, memory_from }
    }

    /// Names of those who took part in these roles, in the order of the record.
    fn names(&self, role: impl Fn(Role) -> bool) -> impl Iterator<Item = &'a str> {
        let took_part = move |name: &&str| self.samples.iter().any(|sample| sample.contender == **name);
        let rows = self.record.contenders.iter().filter(move |row| role(row.role));
        rows.map(|row| row.name.as_str()).filter(took_part)
    }

    fn to_reference<'b>(&'b self, name: &'b str) -> Pair<'b> {
        Pair { ours: name, theirs: self.reference }
    }

    /// The twin and what it is a copy of.
    fn to_original<'b>(&'b self, twin: &'b str) -> Pair<'b> {
        Pair { ours: twin, theirs: recorded_reference(self.record) }
    }

    fn status_of(&self, name: &str) -> Status {
        let failure = self.samples.iter().find(|s| s.contender == name && !s.status.is_ok());
        failure.map_or(Status::Ok, |sample| sample.status.clone())
    }

    /// The samples of a contender from which this metric is read.
    fn samples_for(&self, name: &str, metric: Metric) -> Vec<&'a Sample> {
        let from = match metric {
            Metric::PeakRss | Metric::Retained => self.memory_from,
            _ => self.time_from,
        };
        let ours = self.samples.iter().copied();
        ours.filter(|s| s.contender == name && Some(s.arrangement) == from && s.status.is_ok()).collect()
    }

    /// A ratio for each block in which both took part.
    fn block_ratios(&self, pair: Pair<'_>, metric: Metric) -> Vec<BlockRatio> {
        let theirs = pair.theirs.map(|theirs| self.samples_for(theirs, metric)).unwrap_or_default();
        let mut ratios = Vec::new();
        for our in self.samples_for(pair.ours, metric) {
            let Some(their) = theirs.iter().find(|their| their.block == our.block) else { continue };
            ratios.extend(BlockRatio::of(&values(our, metric), &values(their, metric)));
        }
        ratios
    }

    /// The log-ratios that decide: of the typical turn, or of the sums where those differ.
    fn log_ratios(&self, pair: Pair<'_>, metric: Metric) -> Vec<f64> {
        let blocks = self.block_ratios(pair, metric);
        let uneven = PairEstimate::of(&blocks).is_some_and(|pair| pair.uneven);
        blocks.iter().map(|block| if uneven { block.of_sums } else { block.of_turns }).collect()
    }

    fn twin_log_ratios(&self, metric: Metric) -> Vec<f64> {
        let twin = self.names(|role| role == Role::Twin).find(|name| self.status_of(name).is_ok());
        twin.map(|name| self.log_ratios(self.to_original(name), metric)).unwrap_or_default()
    }

    fn compared(&self, pair: Pair<'_>, metric: Metric, margin: f64) -> Option<Compared> {
        let log_ratios = self.log_ratios(pair, metric);
        let pair = PairEstimate::of(&self.block_ratios(pair, metric))?;
        let estimate = *pair.deciding();
        let direction = match metric {
            Metric::PeakRss | Metric::Retained => Direction::Memory,
            _ => Direction::Time,
        };
        let of_t = t_interval(&log_ratios, 0.95);
        Some(Compared {
            estimate,
            uneven: pair.uneven,
            verdict: judge(&estimate, margin, direction),
            minimum_detectable: minimum_detectable(&estimate, margin),
            blocks_needed: blocks_needed(&estimate, margin),
            cross_checks: CrossChecks {
                sign_flip_p: sign_flip_test(&log_ratios),
                t_interval: of_t.map(|(low, high)| (low.exp(), high.exp())),
            },
        })
    }

    fn contender(&self, pair: Pair<'_>, margin: f64) -> ContenderOutcome {
        let name = pair.ours;
        let status = self.status_of(name);
        let (timed, sized) = (self.samples_for(name, Metric::Wall), self.samples_for(name, Metric::PeakRss));
        let is_compared = status.is_ok() && pair.theirs != Some(name);
        let compared = |metric| is_compared.then(|| self.compared(pair, metric, margin)).flatten();
        let per_second = |s: &Sample| UnitsPerSecond::of(s.units, Nanos(s.wall_ns)).map(|per| per.0);
        ContenderOutcome {
            name: name.to_owned(),
            throughput: median_of(&timed, per_second).map(UnitsPerSecond),
            cpu_per_unit_ns: median_of(&timed, |s| (s.units > 0).then(|| s.cpu().0 as f64 / s.units as f64)),
            idle_cpu: median_of(&timed, idle_cpu),
            peak_rss: median_of(&sized, |s| s.peak_rss.map(|bytes| bytes.0 as f64)).map(whole_bytes),
            wall: compared(Metric::Wall),
            cpu: compared(Metric::Cpu),
            memory: compared(Metric::PeakRss),
            over_time: (self.is_over_time() && status.is_ok()).then(|| OverTime {
                retained_against: compared(Metric::Retained),
                ..OverTime::of(&self.undisturbed(name), self.counts(), self.idle_system())
            }),
            served: Served::of(&timed).map(|served| Served { against: Metric::LATENCIES.map(compared), ..served }),
            status,
        }
    }

    fn row(&self) -> Option<&'a CaseRow> {
        self.record.cases.iter().find(|row| row.case == *self.case)
    }

    fn counts(&self) -> Option<&'a CountsRow> {
        self.record.counts.iter().find(|counts| counts.case == *self.case)
    }

    /// Whether the case is about memory over time, or its samples were followed through quiet times.
    fn is_over_time(&self) -> bool {
        self.row().is_some_and(|row| row.over_time) || self.samples.iter().any(|sample| !sample.settled.is_empty())
    }

    fn undisturbed(&self, name: &str) -> Vec<&'a Sample> {
        let alone = |sample: &&Sample| sample.arrangement == Arrangement::Alone && sample.status.is_ok();
        self.samples.iter().copied().filter(|sample| sample.contender == name && alone(sample)).collect()
    }

    /// What the idle worker with the system's allocator needs, which has next to nothing of its own; where it did not take
    /// part, the idle reference.
    fn idle_system(&self) -> Option<Bytes> {
        let rows = &self.record.contenders;
        let system = rows.iter().find(|row| row.backend == "system" && row.set.is_empty());
        let row = system.or_else(|| rows.iter().find(|row| Some(row.name.as_str()) == self.reference))?;
        row.identity.as_ref()?.start_rss
    }

    fn outcome(&self, margin: f64) -> CaseOutcome {
        let row = self.row();
        let (first, others): (Vec<_>, Vec<_>) =
            self.names(|role| role != Role::Twin).partition(|name| Some(*name) == self.reference);
        let twin = self.names(|role| role == Role::Twin).next();
        CaseOutcome {
            case: self.case.clone(),
            unit: row.map_or("unit".into(), |row| row.unit.clone()),
            contenders: first
                .iter()
                .chain(&others)
                .map(|name| self.contender(self.to_reference(name), margin))
                .collect(),
            twin: twin.map(|name| self.contender(self.to_original(name), margin)),
            twin_of: twin.and_then(|_| recorded_reference(self.record)).map(str::to_owned),
            time_from: self.time_from,
            memory_from: self.memory_from,
            counts: self.counts().cloned(),
            distrusted: Vec::new(),
        }
    }
}

/// A median of bytes is a whole number of bytes, or lies half-way between two.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a median of sizes is a size")]
fn whole_bytes(bytes: f64) -> Bytes {
    Bytes(bytes as u64)
}

fn median_of(samples: &[&Sample], value: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = samples.iter().filter_map(|sample| value(sample)).collect();
    median(&values)
}

/// What a sample says of a metric: turn by turn where turns were taken side by side, else one value for the whole sample.
fn values(sample: &Sample, metric: Metric) -> Vec<f64> {
    let turns = &sample.turns;
    match (metric, sample.arrangement) {
        (Metric::Wall, Arrangement::Turns) => turns.wall_ns.iter().map(|&ns| ns as f64).collect(),
        (Metric::Wall, Arrangement::Alone) => vec![sample.wall_ns as f64],
        (Metric::Cpu, Arrangement::Turns) => {
            let idle = counted_idle(sample);
            let busy = turns.user_ns.iter().zip(&turns.system_ns).map(|(&user, &system)| user as f64 + system as f64);
            busy.zip(&turns.idle_cpu_ns).map(|(busy, &between)| busy + idle * between as f64).collect()
        }
        (Metric::Cpu, Arrangement::Alone) => {
            vec![sample.cpu().0 as f64 + counted_idle(sample) * sample.idle_cpu_ns as f64]
        }
        (Metric::PeakRss, _) => {
            // An allocator's own start-up memory is no part of what a control does.
            let start = sample.start_rss.filter(|_| sample.case.is_control()).unwrap_or_default();
            sample.peak_rss.iter().map(|bytes| bytes.0.saturating_sub(start.0) as f64).collect()
        }
        (Metric::Retained, _) => retained(sample).map(|share| share.max(LEAST_RETAINED)).into_iter().collect(),
        (Metric::P50, _) => latency(sample, |row| row.p50_ns),
        (Metric::P99, _) => latency(sample, |row| row.p99_ns),
        (Metric::P999, _) => latency(sample, |row| row.p999_ns),
        (Metric::MaxLatency, _) => latency(sample, |row| row.max_ns),
    }
}

/// A latency of the sample, where it is about requests.
fn latency(sample: &Sample, of: fn(&LatencyRow) -> u64) -> Vec<f64> {
    sample.latency.as_ref().map(|row| of(row) as f64).into_iter().collect()
}

/// 1 where CPU time between the turns counts as the turns', being more than the protocol's; else 0.
fn counted_idle(sample: &Sample) -> f64 {
    f64::from(u8::from(idle_cpu(sample).is_some_and(|share| share > IDLE_CPU_LIMIT)))
}

/// CPU time used between the turns, as a fraction of that used in them.
fn idle_cpu(sample: &Sample) -> Option<f64> {
    let busy = sample.cpu().0;
    (busy > 0).then(|| sample.idle_cpu_ns as f64 / busy as f64)
}

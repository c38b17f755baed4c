//! What a record says: for each case and contender, throughput, memory, ratios and verdicts.

use serde::{Deserialize, Serialize};

use crate::record::{CountsRow, Record, Role, Sample};
use crate::stats::{Direction, Estimate, Verdict, estimate, judge, median, minimum_detectable};
use crate::{Arrangement, Bytes, Case, Nanos, Settings, Status, UnitsPerSecond};

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The contender that the others are compared with.
    pub reference: String,
    /// The margin of the verdicts, 0.01 for 1 %.
    pub margin: f64,
    /// Case by case, in the order of the record.
    pub cases: Vec<CaseOutcome>,
}

/// The outcome of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseOutcome {
    /// The case.
    pub case: Case,
    /// What one unit is, in the singular.
    pub unit: String,
    /// The contenders, the reference first; the twin is not among them.
    pub contenders: Vec<ContenderOutcome>,
    /// The reference against itself, where it took part twice.
    pub twin: Option<ContenderOutcome>,
    /// How the samples were made from which time is judged.
    pub time_from: Option<Arrangement>,
    /// How the samples were made from which memory is judged.
    pub memory_from: Option<Arrangement>,
    /// What the counting backend saw.
    pub counts: Option<CountsRow>,
}

/// One contender in one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContenderOutcome {
    /// Its name.
    pub name: String,
    /// `Ok`, or the first failure; a contender that failed is not judged.
    pub status: Status,
    /// Units per second of wall time: the median over the blocks.
    pub throughput: Option<UnitsPerSecond>,
    /// CPU time per unit, in nanoseconds: the median over the blocks.
    pub cpu_per_unit_ns: Option<f64>,
    /// CPU time used while waiting for turns, as a fraction of that used in them: the median over the blocks. Above
    /// [`IDLE_CPU_LIMIT`] it is added to the CPU time.
    pub idle_cpu: Option<f64>,
    /// Peak resident memory: the median over the blocks.
    pub peak_rss: Option<Bytes>,
    /// Wall time against the reference.
    pub wall: Option<Compared>,
    /// CPU time against the reference.
    pub cpu: Option<Compared>,
    /// Peak resident memory against the reference.
    pub memory: Option<Compared>,
}

/// The share of CPU time used between turns above which it is work that the allocator does behind the workload's back, and
/// counts as CPU time of the turns. Below lies what the protocol costs.
pub const IDLE_CPU_LIMIT: f64 = 0.01;

/// A metric against the reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Contender ÷ reference.
    pub estimate: Estimate,
    /// What that means.
    pub verdict: Verdict,
    /// The least true difference that a comparison this precise finds in four of five runs.
    pub minimum_detectable: Option<f64>,
}

/// What the two clocks say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeVerdict {
    /// CPU time decides, and wall time does not contradict.
    Cpu(Verdict),
    /// CPU time does not decide, wall time does.
    Wall(Verdict),
    /// They contradict each other.
    TradeOff {
        /// What CPU time says.
        cpu: Verdict,
        /// What wall time says.
        wall: Verdict,
    },
}

impl ContenderOutcome {
    /// CPU time is the steadier clock on a shared machine, so it decides; wall time decides where CPU time cannot.
    pub fn time(&self) -> Option<TimeVerdict> {
        let (cpu, wall) = (self.cpu?.verdict, self.wall?.verdict);
        Some(match (cpu.is_difference(), wall.is_difference()) {
            (true, true) if cpu != wall => TimeVerdict::TradeOff { cpu, wall },
            (false, true) => TimeVerdict::Wall(wall),
            _ => TimeVerdict::Cpu(cpu),
        })
    }
}

impl CaseOutcome {
    /// The contender of this name.
    pub fn contender(&self, name: &str) -> Option<&ContenderOutcome> {
        self.contenders.iter().find(|contender| contender.name == name)
    }

    /// What a record says about one case. A case that the record lacks has no contenders.
    pub fn of(record: &Record, case: &Case) -> Self {
        let samples: Vec<&Sample> = record.counting_samples(case).collect();
        let margin = record.run.as_ref().map_or(Settings::default().margin, |run| run.settings.margin);
        let made = |arrangement| samples.iter().any(|s| s.arrangement == arrangement && s.status.is_ok());
        let first_made = |order: [Arrangement; 2]| order.into_iter().find(|&arrangement| made(arrangement));
        let time_from = first_made([Arrangement::Turns, Arrangement::Alone]);
        let memory_from = first_made([Arrangement::Alone, Arrangement::Turns]);
        let reference = record.contenders.iter().find(|row| row.role == Role::Reference).map(|row| row.name.as_str());
        let pick = |name: &str, from: Option<Arrangement>| {
            let ours = samples.iter().copied();
            ours.filter(move |s| s.contender == name && Some(s.arrangement) == from && s.status.is_ok())
                .collect::<Vec<_>>()
        };
        let outcome_of = |name: &str| {
            let failure = samples.iter().find(|s| s.contender == name && !s.status.is_ok());
            let status = failure.map_or(Status::Ok, |sample| sample.status.clone());
            let (timed, sized) = (pick(name, time_from), pick(name, memory_from));
            let against = reference.filter(|reference| *reference != name && status.is_ok());
            let against = against.map(|reference| (pick(reference, time_from), pick(reference, memory_from)));
            let compare = |values: Vec<f64>, direction| compared(&values, margin, direction);
            ContenderOutcome {
                name: name.to_owned(),
                throughput: median_of(&timed, |s| UnitsPerSecond::of(s.units, Nanos(s.wall_ns)).map(|per| per.0))
                    .map(UnitsPerSecond),
                cpu_per_unit_ns: median_of(&timed, |s| (s.units > 0).then(|| s.cpu().0 as f64 / s.units as f64)),
                idle_cpu: median_of(&timed, idle_cpu),
                peak_rss: median_of(&sized, |s| s.peak_rss.map(|bytes| bytes.0 as f64)).map(whole_bytes),
                wall: against.as_ref().and_then(|(time, _)| compare(log_ratios(&timed, time, wall), Direction::Time)),
                cpu: against.as_ref().and_then(|(time, _)| compare(log_ratios(&timed, time, cpu), Direction::Time)),
                memory: against.as_ref().and_then(|(_, memory)| {
                    compare(log_ratios(&sized, memory, |s| peak(s).into_iter().collect()), Direction::Memory)
                }),
                status,
            }
        };
        let known = |role: fn(Role) -> bool| {
            record.contenders.iter().filter(move |row| role(row.role)).map(|row| row.name.as_str())
        };
        let took_part = |name: &&str| samples.iter().any(|sample| sample.contender == **name);
        let mut outcome = Self {
            case: case.clone(),
            unit: record.cases.iter().find(|row| row.case == *case).map_or("unit".into(), |row| row.unit.clone()),
            contenders: known(|role| role != Role::Twin).filter(took_part).map(outcome_of).collect(),
            twin: known(|role| role == Role::Twin).filter(took_part).map(outcome_of).next(),
            time_from,
            memory_from,
            counts: record.counts.iter().find(|counts| counts.case == *case).cloned(),
        };
        outcome.distrust_what_the_twin_contradicts();
        outcome
    }

    /// Half of the widest interval of CPU time and memory over all contenders and the twin, as a fraction; nothing while one
    /// of them has no interval.
    pub(crate) fn widest_half_width(&self) -> Option<f64> {
        let judged = self.contenders.iter().chain(&self.twin).filter(|contender| contender.status.is_ok());
        let compared = judged.flat_map(|contender| [contender.cpu, contender.memory]).flatten();
        let half_widths: Option<Vec<f64>> = compared
            .map(|compared| compared.estimate.interval().map(|(low, high)| ((high / low).ln() / 2.0).exp_m1()))
            .collect();
        half_widths?.into_iter().reduce(f64::max)
    }

    /// Where two copies of one program are called different, no difference of that metric can be believed.
    fn distrust_what_the_twin_contradicts(&mut self) {
        let Some(twin) = &self.twin else { return };
        let differs = |compared: Option<Compared>| compared.is_some_and(|compared| compared.verdict.is_difference());
        let (wall, cpu, memory) = (differs(twin.wall), differs(twin.cpu), differs(twin.memory));
        for contender in &mut self.contenders {
            for (distrusted, compared) in
                [(wall, &mut contender.wall), (cpu, &mut contender.cpu), (memory, &mut contender.memory)]
            {
                if let Some(compared) = compared.as_mut().filter(|_| distrusted) {
                    compared.verdict = Verdict::Unclear;
                }
            }
        }
    }
}

impl Outcome {
    /// What a record says.
    pub fn of(record: &Record) -> Self {
        let mut cases: Vec<&Case> = Vec::new();
        for case in record.cases.iter().map(|row| &row.case).chain(record.samples.iter().map(|sample| &sample.case)) {
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
        Self {
            reference: record.run.as_ref().map_or_else(String::new, |run| run.reference.clone()),
            margin: record.run.as_ref().map_or(Settings::default().margin, |run| run.settings.margin),
            cases: cases.into_iter().map(|case| CaseOutcome::of(record, case)).collect(),
        }
    }

    /// The case whose workload has this name; the first, where several have other parameters.
    pub fn case(&self, workload: &str) -> Option<&CaseOutcome> {
        self.cases.iter().find(|outcome| outcome.case.workload == workload)
    }

    /// Every failure: the case, the contender and its status.
    pub fn failures(&self) -> impl Iterator<Item = (&Case, &str, &Status)> {
        self.cases.iter().flat_map(|outcome| {
            let all = outcome.contenders.iter().chain(&outcome.twin);
            all.filter(|c| !c.status.is_ok()).map(|c| (&outcome.case, c.name.as_str(), &c.status))
        })
    }
}

fn compared(log_ratios: &[f64], margin: f64, direction: Direction) -> Option<Compared> {
    let estimate = estimate(log_ratios)?;
    Some(Compared {
        estimate,
        verdict: judge(&estimate, margin, direction),
        minimum_detectable: minimum_detectable(&estimate, margin),
    })
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

fn peak(sample: &Sample) -> Option<f64> {
    sample.peak_rss.map(|bytes| bytes.0 as f64)
}

/// Wall time turn by turn where turns were taken side by side, else of the whole sample.
fn wall(sample: &Sample) -> Vec<f64> {
    match sample.arrangement {
        Arrangement::Turns => sample.turns.wall_ns.iter().map(|&ns| ns as f64).collect(),
        Arrangement::Alone => vec![sample.wall_ns as f64],
    }
}

/// CPU time like [`wall`], with what was used between the turns where that is more than the protocol's.
fn cpu(sample: &Sample) -> Vec<f64> {
    let turns = &sample.turns;
    let counts_idle = idle_cpu(sample).is_some_and(|share| share > IDLE_CPU_LIMIT);
    let idle = |ns: u64| if counts_idle { ns } else { 0 };
    match sample.arrangement {
        Arrangement::Turns => turns
            .user_ns
            .iter()
            .zip(&turns.system_ns)
            .zip(&turns.idle_cpu_ns)
            .map(|((&user, &system), &between)| user as f64 + system as f64 + idle(between) as f64)
            .collect(),
        Arrangement::Alone => vec![sample.cpu().0 as f64 + idle(sample.idle_cpu_ns) as f64],
    }
}

/// CPU time used between the turns, as a fraction of that used in them.
fn idle_cpu(sample: &Sample) -> Option<f64> {
    let busy = sample.cpu().0;
    (busy > 0).then(|| sample.idle_cpu_ns as f64 / busy as f64)
}

/// For each block in which both took part: the median over turns of log(ours ÷ theirs).
fn log_ratios(ours: &[&Sample], theirs: &[&Sample], values: impl Fn(&Sample) -> Vec<f64>) -> Vec<f64> {
    let mut ratios = Vec::new();
    for our in ours {
        let Some(their) = theirs.iter().find(|their| their.block == our.block) else { continue };
        let turns: Vec<f64> = values(our).iter().zip(values(their)).map(|(a, b)| (a / b).ln()).collect();
        ratios.extend(median(&turns));
    }
    ratios
}

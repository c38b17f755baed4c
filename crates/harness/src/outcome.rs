//! What a record says: for each case and contender, throughput, memory, ratios and verdicts.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::over_time::OverTime;
use crate::record::CountsRow;
use crate::served::Served;
use crate::stats::{Estimate, Verdict};
use crate::{Arrangement, Bytes, Case, Status, UnitsPerSecond};

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The contender that the others are compared with.
    pub reference: String,
    /// The margin of the verdicts, 0.01 for 1 %.
    pub margin: f64,
    /// Case by case, in the order of the record.
    pub cases: Vec<CaseOutcome>,
    /// What the controls among them found.
    #[serde(default)]
    pub alarms: Vec<Alarm>,
}

/// A control in which someone is called different, though no allocator can be there. What made the difference can be at
/// work in every other case: no verdict on this contender and metric is given in them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alarm {
    /// The control.
    pub case: Case,
    /// Who differs from the reference there.
    pub contender: String,
    /// In what.
    pub metric: Metric,
    /// How.
    pub verdict: Verdict,
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
    /// Whoever took part twice, against itself.
    pub twin: Option<ContenderOutcome>,
    /// Who that is: the reference of the run.
    #[serde(default)]
    pub twin_of: Option<String>,
    /// How the samples were made from which time is judged.
    pub time_from: Option<Arrangement>,
    /// How the samples were made from which memory is judged.
    pub memory_from: Option<Arrangement>,
    /// What the counting backend saw.
    pub counts: Option<CountsRow>,
    /// The metrics on which two copies of the reference were called different: nothing is called on them.
    pub distrusted: Vec<Metric>,
}

/// A metric that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Wall time.
    Wall,
    /// CPU time.
    Cpu,
    /// Peak resident memory; in a control, above what the worker needed at its greeting.
    PeakRss,
    /// The share of the peak that is left once everything was dropped.
    Retained,
    /// The median latency of requests; only of workloads that serve some, like those that follow.
    P50,
    /// The latency within which 99 % of them were answered.
    P99,
    /// The latency within which 99.9 % were.
    P999,
    /// The greatest latency.
    MaxLatency,
}

impl Metric {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::Wall, Self::Cpu, Self::PeakRss, Self::Retained, Self::P50, Self::P99, Self::P999, Self::MaxLatency];

    /// Those that are about the latency of requests.
    pub const LATENCIES: [Self; 4] = [Self::P50, Self::P99, Self::P999, Self::MaxLatency];

    /// Whether it is about the latency of requests.
    pub fn is_latency(self) -> bool {
        Self::LATENCIES.contains(&self)
    }
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
    /// Memory over time, where the case is about it.
    #[serde(default)]
    pub over_time: Option<OverTime>,
    /// What its requests came to, where the case is about serving some.
    #[serde(default)]
    pub served: Option<Served>,
}

/// The share of CPU time used between turns above which it is work that the allocator does behind the workload's back, and
/// counts as CPU time of the turns. Below lies what the protocol costs.
pub const IDLE_CPU_LIMIT: f64 = 0.01;

/// A metric against the reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Contender ÷ reference: by the typical turn, or by the sum of all turns where the pair is uneven.
    pub estimate: Estimate,
    /// Whether the cost lies in rare turns, such as purges, so that the typical turn would mislead.
    pub uneven: bool,
    /// What that means.
    pub verdict: Verdict,
    /// The least true difference that a comparison this precise finds in four of five runs.
    pub minimum_detectable: Option<f64>,
    /// About how many blocks there would have to be for a verdict; nothing where no number would do.
    pub blocks_needed: Option<usize>,
    /// What other methods say of the same blocks. They decide nothing.
    pub cross_checks: CrossChecks,
}

/// Other methods on the same blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossChecks {
    /// The p-value of the sign-flip test: how often a mean this far from no difference would come from chance alone.
    pub sign_flip_p: Option<f64>,
    /// The 95 % t-interval of the ratio.
    pub t_interval: Option<(f64, f64)>,
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Wall => "wall",
            Self::Cpu => "CPU",
            Self::PeakRss => "peak RSS",
            Self::Retained => "retained memory",
            Self::P50 => "p50 latency",
            Self::P99 => "p99 latency",
            Self::P999 => "p99.9 latency",
            Self::MaxLatency => "max latency",
        })
    }
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

/// What a contender is better in than the reference, and what worse: nobody but whoever chooses can weigh the one against the
/// other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TradeOff {
    /// In what it is better, and how.
    pub better: Vec<(Metric, Verdict)>,
    /// In what it is worse, and how.
    pub worse: Vec<(Metric, Verdict)>,
}

impl fmt::Display for TradeOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides = [&self.better, &self.worse];
        let alike = sides.into_iter().flat_map(|side| side.chunk_by(|(_, a), (_, b)| a == b)).map(|same| {
            let metrics: Vec<String> = same.iter().map(|(metric, _)| metric.to_string()).collect();
            format!("{} in {}", same[0].1, metrics.join(" and "))
        });
        f.write_str(&alike.collect::<Vec<_>>().join(", "))
    }
}

impl ContenderOutcome {
    /// Its better and its worse sides, where it is called better than the reference in one metric and worse in another.
    pub fn trade_off(&self) -> Option<TradeOff> {
        let called = || Metric::ALL.into_iter().filter_map(|metric| Some((metric, self.compared(metric)?.verdict)));
        let better: Vec<_> = called().filter(|(_, verdict)| verdict.is_better()).collect();
        let worse: Vec<_> = called().filter(|(_, v)| v.is_difference() && !v.is_better()).collect();
        let is_both = self.status.is_ok() && !better.is_empty() && !worse.is_empty();
        is_both.then_some(TradeOff { better, worse })
    }

    /// One metric against the reference.
    pub fn compared(&self, metric: Metric) -> Option<Compared> {
        match metric {
            Metric::Wall => self.wall,
            Metric::Cpu => self.cpu,
            Metric::PeakRss => self.memory,
            Metric::Retained => self.over_time.as_ref()?.retained_against,
            Metric::P50 | Metric::P99 | Metric::P999 | Metric::MaxLatency => self.served.as_ref()?.against(metric),
        }
    }

    /// Takes back what is called of one metric.
    pub(crate) fn uncall(&mut self, metric: Metric) {
        let compared = match metric {
            Metric::Wall => self.wall.as_mut(),
            Metric::Cpu => self.cpu.as_mut(),
            Metric::PeakRss => self.memory.as_mut(),
            Metric::Retained => self.over_time.as_mut().and_then(|over_time| over_time.retained_against.as_mut()),
            Metric::P50 | Metric::P99 | Metric::P999 | Metric::MaxLatency => {
                self.served.as_mut().and_then(|served| served.against_mut(metric))
            }
        };
        if let Some(compared) = compared {
            compared.verdict = Verdict::Unclear;
        }
    }

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
    /// Whether it says anything of memory over time.
    pub fn is_over_time(&self) -> bool {
        self.contenders.iter().any(|contender| contender.over_time.is_some())
    }

    /// Whether it says anything of requests.
    pub fn is_served(&self) -> bool {
        self.contenders.iter().any(|contender| contender.served.is_some())
    }

    /// Whether its latencies say how long requests would have taken that came when they liked: they count from when each was
    /// due, or are at least those of servers that ran undisturbed. Of servers that take turns in a closed loop, whose clients
    /// wait for an answer before they ask again, they do not.
    pub fn latency_decides(&self) -> bool {
        let open = |contender: &ContenderOutcome| contender.served.as_ref().is_some_and(|served| served.open_loop);
        self.is_served() && (self.time_from == Some(Arrangement::Alone) || self.contenders.iter().any(open))
    }

    /// The contender of this name.
    pub fn contender(&self, name: &str) -> Option<&ContenderOutcome> {
        self.contenders.iter().find(|contender| contender.name == name)
    }
}

impl Outcome {
    /// The case whose workload has this name; the first, where several have other parameters.
    pub fn case(&self, workload: &str) -> Option<&CaseOutcome> {
        self.cases.iter().find(|outcome| outcome.case.workload == workload)
    }

    /// Whether a control keeps this metric of this contender from being called in this case.
    pub fn is_alarmed(&self, case: &Case, contender: &str, metric: Metric) -> bool {
        let applies = |alarm: &Alarm| alarm.contender == contender && alarm.metric == metric;
        !case.is_control() && self.alarms.iter().any(applies)
    }

    /// Every failure: the case, the contender and its status.
    pub fn failures(&self) -> impl Iterator<Item = (&Case, &str, &Status)> {
        self.cases.iter().flat_map(|outcome| {
            let all = outcome.contenders.iter().chain(&outcome.twin);
            all.filter(|c| !c.status.is_ok()).map(|c| (&outcome.case, c.name.as_str(), &c.status))
        })
    }
}

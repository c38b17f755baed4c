//! An outcome row by row, for programs to read: one row for each workload, contender and quantity.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::outcome::{CaseOutcome, Compared, ContenderOutcome, CrossChecks, Metric, Outcome};
use crate::stats::{Estimate, Trend, Verdict};
use crate::{Case, Status};

/// What a ratio is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Units per second of wall time: more is better. The inverse of wall time, judged with it.
    Throughput,
    /// Wall time.
    Wall,
    /// CPU time.
    Cpu,
    /// Peak resident memory.
    PeakRss,
    /// The share of the peak that is left once everything was dropped; only of cases about memory over time.
    Retained,
    /// Growth of resident memory in each turn; only of cases about memory over time. It is called for each contender by itself,
    /// the reference too, and no ratio.
    Slope,
    /// The median latency of requests; only of cases that serve some, like those that follow.
    P50,
    /// The latency within which 99 % of them were answered.
    P99,
    /// The latency within which 99.9 % were.
    P999,
    /// The greatest latency.
    MaxLatency,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Throughput,
        Self::Wall,
        Self::Cpu,
        Self::PeakRss,
        Self::Retained,
        Self::Slope,
        Self::P50,
        Self::P99,
        Self::P999,
        Self::MaxLatency,
    ];

    /// The name in records and on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Wall => "wall",
            Self::Cpu => "cpu",
            Self::PeakRss => "peak-rss",
            Self::Retained => "retained",
            Self::Slope => "slope",
            Self::P50 => "p50",
            Self::P99 => "p99",
            Self::P999 => "p999",
            Self::MaxLatency => "max-latency",
        }
    }

    /// The metric that it is judged by; nothing for the slope, which is compared with nobody's.
    pub const fn metric(self) -> Option<Metric> {
        Some(match self {
            Self::Throughput | Self::Wall => Metric::Wall,
            Self::Cpu => Metric::Cpu,
            Self::PeakRss => Metric::PeakRss,
            Self::Retained => Metric::Retained,
            Self::P50 => Metric::P50,
            Self::P99 => Metric::P99,
            Self::P999 => Metric::P999,
            Self::MaxLatency => Metric::MaxLatency,
            Self::Slope => return None,
        })
    }

    /// Whether it is about the latency of requests.
    pub fn is_latency(self) -> bool {
        self.metric().is_some_and(Metric::is_latency)
    }

    /// Whether a case has it at all.
    fn is_of(self, case: &CaseOutcome) -> bool {
        match self {
            Self::Retained | Self::Slope => case.is_over_time(),
            latency if latency.is_latency() => case.is_served(),
            _ => true,
        }
    }

    /// What a contender was measured to have: units per second, nanoseconds per unit, bytes, or a fraction.
    fn value(self, contender: &ContenderOutcome) -> Option<f64> {
        match self {
            Self::Throughput => contender.throughput.map(|per_second| per_second.0),
            Self::Wall => contender.throughput.map(|per_second| 1e9 / per_second.0).filter(|wall| wall.is_finite()),
            Self::Cpu => contender.cpu_per_unit_ns,
            Self::PeakRss => contender.peak_rss.map(|bytes| bytes.0 as f64),
            Self::Retained => contender.over_time.as_ref()?.retained,
            Self::Slope => Some(contender.over_time.as_ref()?.slope?.per_turn),
            Self::P50 | Self::P99 | Self::P999 | Self::MaxLatency => {
                contender.served.as_ref()?.latency_of(self.metric()?)
            }
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// What is called: how a contender compares, or what its memory does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Call {
    /// Against the reference.
    Verdict(Verdict),
    /// By itself.
    Trend(Trend),
}

impl Call {
    /// Whether it does not decide.
    pub fn is_unclear(self) -> bool {
        matches!(self, Self::Verdict(Verdict::Unclear) | Self::Trend(Trend::Unclear))
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verdict(verdict) => verdict.fmt(f),
            Self::Trend(trend) => trend.fmt(f),
        }
    }
}

/// One quantity of one contender in one workload, against the reference.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "a row for programs, in which each is a column of its own")]
pub struct Judgement {
    /// The record that it is from, as whoever read it calls it.
    pub record: String,
    /// The workload.
    pub workload: String,
    /// Parameters that differ from their defaults.
    pub parameters: BTreeMap<String, String>,
    /// Who is compared.
    pub contender: String,
    /// With whom.
    pub reference: String,
    /// What is compared.
    pub metric: Quantity,
    /// The contender's: units per second, nanoseconds per unit, bytes, or a fraction: of the peak, or of the level in each turn.
    pub value: Option<f64>,
    /// The reference's.
    pub reference_value: Option<f64>,
    /// Contender ÷ reference; absent for a slope.
    pub ratio: Option<f64>,
    /// Where its 95 % interval begins; for a slope, that of the value.
    pub low: Option<f64>,
    /// Where that ends.
    pub high: Option<f64>,
    /// Blocks that it rests on.
    pub blocks: usize,
    /// What that means; nothing where the contender failed.
    #[serde(serialize_with = "verdict_or_error")]
    pub verdict: Option<Call>,
    /// The minimum detectable effect: the least true difference that is found in four of five runs, as a fraction.
    pub mde: Option<f64>,
    /// Whether the cost lies in rare turns, so that their sum decides and not the typical turn.
    pub uneven: bool,
    /// Whether the twin was called different on this metric, so that nothing is called on it.
    pub distrusted: bool,
    /// Whether this contender was called different on this metric in a control, so that nothing is called on it.
    pub alarmed: bool,
    /// Whether this contender is called better in one metric of this case and worse in another.
    pub trade_off: bool,
    /// About how many blocks there would have to be for a verdict.
    pub blocks_needed: Option<usize>,
    /// What other methods say; they decide nothing.
    pub cross_checks: Option<CrossChecks>,
    /// `ok`, or how the contender failed.
    #[serde(flatten)]
    pub status: Status,
}

impl Judgement {
    /// The case.
    pub fn case(&self) -> Case {
        Case { workload: self.workload.clone(), parameters: self.parameters.clone() }
    }

    /// The verdict in a word: `error` where the contender failed.
    pub fn verdict_word(&self) -> String {
        self.verdict.map_or_else(|| "error".into(), |verdict| verdict.to_string())
    }

    /// The ratio with its interval.
    pub fn estimate(&self) -> Option<Estimate> {
        Some(Estimate { ratio: self.ratio?, low: self.low, high: self.high, blocks: self.blocks })
    }
}

#[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn verdict_or_error<S: serde::Serializer>(verdict: &Option<Call>, serializer: S) -> Result<S::Ok, S::Error> {
    match verdict {
        Some(verdict) => verdict.serialize(serializer),
        None => serializer.serialize_str("error"),
    }
}

/// Every contender but the reference, case by case, quantity by quantity; of the reference only the slope, where there is
/// one. `record` is what the record is called.
pub fn judgements(outcome: &Outcome, record: &str, quantities: &[Quantity]) -> Vec<Judgement> {
    let mut rows = Vec::new();
    for case in &outcome.cases {
        let reference = case.contender(&outcome.reference);
        let has = |quantity: &&Quantity| quantity.is_of(case);
        for contender in &case.contenders {
            let is_reference = contender.name == outcome.reference;
            let wanted = |quantity: &&Quantity| !is_reference || **quantity == Quantity::Slope;
            for &quantity in quantities.iter().filter(has).filter(wanted) {
                let row = row(case, (contender, reference), &outcome.reference, record, quantity);
                let alarmed = |metric| outcome.is_alarmed(&case.case, &contender.name, metric);
                rows.push(Judgement { alarmed: quantity.metric().is_some_and(alarmed), ..row });
            }
        }
    }
    rows
}

/// The control: in each case the one that took part twice, against itself.
pub fn twin_judgements(outcome: &Outcome, record: &str, quantities: &[Quantity]) -> Vec<Judgement> {
    let mut rows = Vec::new();
    for case in &outcome.cases {
        let (Some(twin), Some(original)) = (&case.twin, &case.twin_of) else { continue };
        let pair = (twin, case.contender(original));
        let has = |quantity: &&Quantity| quantity.is_of(case);
        rows.extend(quantities.iter().filter(has).map(|&quantity| row(case, pair, original, record, quantity)));
    }
    rows
}

fn row(
    case: &CaseOutcome,
    (contender, reference): (&ContenderOutcome, Option<&ContenderOutcome>),
    reference_name: &str,
    record: &str,
    quantity: Quantity,
) -> Judgement {
    let compared = match quantity {
        Quantity::Throughput => contender.wall.map(as_throughput),
        Quantity::Wall => contender.wall,
        Quantity::Cpu => contender.cpu,
        Quantity::PeakRss => contender.memory,
        other => other.metric().and_then(|metric| contender.compared(metric)),
    };
    let slope = contender.over_time.as_ref().and_then(|memory| memory.slope).filter(|_| quantity == Quantity::Slope);
    let call = match quantity {
        Quantity::Slope => Call::Trend(slope.map_or(Trend::Unclear, |slope| slope.trend)),
        _ => Call::Verdict(compared.map_or(Verdict::Unclear, |compared| compared.verdict)),
    };
    Judgement {
        record: record.to_owned(),
        workload: case.case.workload.clone(),
        parameters: case.case.parameters.clone(),
        contender: contender.name.clone(),
        reference: reference_name.to_owned(),
        metric: quantity,
        value: quantity.value(contender),
        reference_value: reference.and_then(|reference| quantity.value(reference)),
        ratio: compared.map(|compared| compared.estimate.ratio),
        low: compared.and_then(|compared| compared.estimate.low).or_else(|| slope?.low),
        high: compared.and_then(|compared| compared.estimate.high).or_else(|| slope?.high),
        blocks: compared.map_or_else(|| slope.map_or(0, |slope| slope.samples), |compared| compared.estimate.blocks),
        verdict: contender.status.is_ok().then_some(call),
        mde: compared.and_then(|compared| compared.minimum_detectable),
        uneven: compared.is_some_and(|compared| compared.uneven),
        distrusted: quantity.metric().is_some_and(|metric| case.distrusted.contains(&metric)),
        alarmed: false,
        trade_off: contender.trade_off().is_some(),
        blocks_needed: compared.and_then(|compared| compared.blocks_needed),
        cross_checks: compared.map(|compared| compared.cross_checks),
        status: contender.status.clone(),
    }
}

/// Wall time turned over. The verdict and the least detectable difference stay: both are the same from either side.
fn as_throughput(wall: Compared) -> Compared {
    let t_interval = wall.cross_checks.t_interval.map(|(low, high)| (1.0 / high, 1.0 / low));
    let cross_checks = CrossChecks { t_interval, ..wall.cross_checks };
    Compared { estimate: wall.estimate.inverted(), cross_checks, ..wall }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Slope;
    use crate::{Alarm, Bytes, OverTime, UnitsPerSecond};

    fn compared(ratio: f64, verdict: Verdict) -> Compared {
        Compared {
            estimate: Estimate { ratio, low: Some(ratio * 0.9), high: Some(ratio * 1.1), blocks: 10 },
            uneven: false,
            verdict,
            minimum_detectable: Some(0.03),
            blocks_needed: Some(10),
            cross_checks: CrossChecks { sign_flip_p: Some(0.01), t_interval: Some((ratio * 0.8, ratio * 1.25)) },
        }
    }

    fn contender(name: &str, wall: Option<Compared>, status: Status) -> ContenderOutcome {
        ContenderOutcome {
            name: name.into(),
            status,
            throughput: Some(UnitsPerSecond(1000.0)),
            cpu_per_unit_ns: Some(1.0),
            idle_cpu: None,
            peak_rss: Some(Bytes(4096)),
            wall,
            cpu: wall,
            memory: None,
            over_time: None,
            served: None,
        }
    }

    fn outcome() -> Outcome {
        let failed = Status::Timeout { detail: "in a test".into() };
        let case = CaseOutcome {
            case: Case::new("a/b").with("live", 5),
            unit: "thing".into(),
            contenders: vec![
                contender("system", None, Status::Ok),
                contender("quick", Some(compared(0.5, Verdict::Faster)), Status::Ok),
                contender("dead", None, failed),
            ],
            twin: Some(contender("system (twin)", Some(compared(1.0, Verdict::Same)), Status::Ok)),
            twin_of: Some("system".into()),
            time_from: None,
            memory_from: None,
            counts: None,
            distrusted: vec![Metric::PeakRss],
        };
        Outcome { reference: "system".into(), margin: 0.01, cases: vec![case], alarms: Vec::new() }
    }

    #[test]
    fn throughput_is_wall_time_turned_over() {
        let rows = judgements(&outcome(), "r", &Quantity::ALL);
        assert_eq!(rows.len(), 8, "two contenders, four quantities, no row for the reference");
        let (throughput, wall) = (&rows[0], &rows[1]);
        assert_eq!((throughput.metric, wall.metric), (Quantity::Throughput, Quantity::Wall));
        let product = throughput.ratio.unwrap() * wall.ratio.unwrap();
        assert!((product - 1.0).abs() < 1e-12);
        assert!(throughput.low < throughput.ratio && throughput.ratio < throughput.high, "{throughput:?}");
        assert_eq!(throughput.verdict, wall.verdict);
        let (low, high) = throughput.cross_checks.unwrap().t_interval.unwrap();
        assert!(low < 2.0 && 2.0 < high, "{low} {high}");
        assert_eq!((throughput.value, wall.value), (Some(1000.0), Some(1e6)));
    }

    #[test]
    fn a_failure_is_a_row_with_verdict_error() {
        let rows = judgements(&outcome(), "r", &[Quantity::Cpu]);
        let dead = serde_json::to_value(&rows[1]).unwrap();
        assert_eq!((&dead["verdict"], &dead["status"]), (&"error".into(), &"timeout".into()));
        assert_eq!((&dead["ratio"], &dead["detail"]), (&serde_json::Value::Null, &"in a test".into()));
        assert_eq!(rows[1].verdict_word(), "error");
    }

    #[test]
    fn what_was_not_measured_is_unclear_and_distrust_is_told() {
        let rows = judgements(&outcome(), "r", &[Quantity::PeakRss]);
        assert_eq!(
            (rows[0].verdict, rows[0].blocks, rows[0].distrusted),
            (Some(Call::Verdict(Verdict::Unclear)), 0, true)
        );
    }

    #[test]
    fn better_in_one_and_worse_in_another_is_a_trade_off() {
        let mut outcome = outcome();
        let is_one = |outcome: &Outcome| {
            let rows = judgements(outcome, "r", &[Quantity::Cpu, Quantity::PeakRss]);
            let quick: Vec<bool> =
                rows.iter().filter(|row| row.contender == "quick").map(|row| row.trade_off).collect();
            assert_eq!((quick.len(), quick[0]), (2, quick[1]), "it is one of the contender, not of a metric");
            quick[0]
        };
        assert!(!is_one(&outcome), "faster, and nothing is known of its memory");
        for (memory, expected) in [(Verdict::Leaner, false), (Verdict::Same, false), (Verdict::Fatter, true)] {
            outcome.cases[0].contenders[1].memory = Some(compared(2.0, memory));
            assert_eq!(is_one(&outcome), expected, "{memory}");
        }
        let quick = &mut outcome.cases[0].contenders[1];
        assert_eq!(quick.trade_off().unwrap().to_string(), "faster in wall and CPU, fatter in peak RSS");
        quick.wall = Some(compared(2.0, Verdict::Slower));
        quick.memory = None;
        assert_eq!(quick.trade_off().unwrap().to_string(), "faster in CPU, slower in wall");
        quick.status = Status::Timeout { detail: "in a test".into() };
        assert_eq!(quick.trade_off(), None);
    }

    #[test]
    fn the_twin_is_a_row_of_its_own_kind() {
        let rows = twin_judgements(&outcome(), "r", &[Quantity::Cpu]);
        assert_eq!((rows.len(), rows[0].contender.as_str()), (1, "system (twin)"));
        assert_eq!((rows[0].reference.as_str(), rows[0].verdict), ("system", Some(Call::Verdict(Verdict::Same))));
    }

    #[test]
    fn memory_over_time_has_rows_where_a_case_is_about_it() {
        let slope =
            Slope { per_turn: 0.02, low: Some(0.01), high: Some(0.03), late: 0.02, samples: 7, trend: Trend::Growing };
        let over_time = |retained: f64, against: Option<Compared>| {
            let (retained, retained_against) = (Some(retained), against);
            Some(OverTime { retained, retained_against, slope: Some(slope), ..OverTime::default() })
        };
        let mut outcome = outcome();
        let [system, quick, _] = outcome.cases[0].contenders.as_mut_slice() else { unreachable!("there are three") };
        system.over_time = over_time(0.8, None);
        quick.over_time = over_time(0.4, Some(compared(0.5, Verdict::Leaner)));
        let rows = judgements(&outcome, "r", &[Quantity::Retained, Quantity::Slope]);
        let shown: Vec<_> = rows.iter().map(|row| (row.contender.as_str(), row.metric, row.verdict_word())).collect();
        assert_eq!(
            shown,
            [
                ("system", Quantity::Slope, "growing".into()),
                ("quick", Quantity::Retained, "leaner".into()),
                ("quick", Quantity::Slope, "growing".into()),
                ("dead", Quantity::Retained, "error".into()),
                ("dead", Quantity::Slope, "error".into()),
            ]
        );
        assert_eq!((rows[1].value, rows[1].reference_value, rows[1].ratio), (Some(0.4), Some(0.8), Some(0.5)));
        let row = &rows[2];
        assert_eq!((row.value, row.ratio, row.low, row.high), (Some(0.02), None, Some(0.01), Some(0.03)));
        assert_eq!(serde_json::to_value(row).unwrap()["verdict"], "growing");
    }

    #[test]
    fn what_a_control_found_is_told_of_whom_it_concerns() {
        let alarm = Alarm {
            case: Case::new("control/compute"),
            contender: "quick".into(),
            metric: Metric::Cpu,
            verdict: Verdict::Slower,
        };
        let outcome = Outcome { alarms: vec![alarm], ..outcome() };
        let rows = judgements(&outcome, "r", &[Quantity::Cpu, Quantity::Wall]);
        let alarmed: Vec<_> = rows.iter().map(|row| (row.contender.as_str(), row.metric, row.alarmed)).collect();
        let (cpu, wall) = (Quantity::Cpu, Quantity::Wall);
        assert_eq!(
            alarmed,
            [("quick", cpu, true), ("quick", wall, false), ("dead", cpu, false), ("dead", wall, false)]
        );
    }
}

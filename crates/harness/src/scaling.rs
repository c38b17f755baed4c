//! How contenders scale: over a sweep, throughput and memory as curves, and the laws that fit them.

use serde::{Deserialize, Serialize};

use crate::analysis::samples_for;
use crate::outcome::{Metric, Outcome};
use crate::record::{Record, Sample};
use crate::stats::{LEAST_VALUES, Level, Usl, draws, median, percentile_interval};
use crate::sweep::{Sweep, sweeps};
use crate::{Nanos, UnitsPerSecond};

/// What the law is about: parameters that say how many there are to do the work, or to ask for it. Twice as large an input is
/// not twice as many.
const COUNTS: [&str; 5] = ["threads", "connections", "workers", "clients", "lanes"];

/// A sweep and what each contender made of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// The cases.
    pub sweep: Sweep,
    /// What one unit of work is, in the singular.
    pub unit: String,
    /// In the order of the outcome.
    pub contenders: Vec<ScaledContender>,
}

/// One contender over a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScaledContender {
    /// Its name.
    pub name: String,
    /// A point for each value at which it was measured, in ascending order.
    pub points: Vec<ScalingPoint>,
    /// The Universal Scalability Law, fitted to its throughput.
    pub law: Option<UslFit>,
    /// Why there is none.
    pub no_law: Option<String>,
    /// Peak resident memory as a straight line over the values.
    pub memory: Option<Line>,
}

/// What was measured at one value of a sweep: medians over the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingPoint {
    /// The value.
    pub value: u64,
    /// Units per second of wall time.
    pub throughput: Option<Level>,
    /// Peak resident memory, in bytes.
    pub peak_rss: Option<Level>,
}

/// The law with the intervals of its coefficients: of 95 %, by drawing blocks anew.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UslFit {
    /// The law that fits the medians best.
    #[serde(flatten)]
    pub law: Usl,
    /// The interval of its λ; absent where there are too few blocks, like the others.
    pub lambda_interval: Option<(f64, f64)>,
    /// The interval of its σ.
    pub sigma_interval: Option<(f64, f64)>,
    /// The interval of its κ.
    pub kappa_interval: Option<(f64, f64)>,
    /// The value with the most throughput by the law; absent where more are always better.
    pub peak: Option<f64>,
    /// Where the interval of that begins.
    pub peak_low: Option<f64>,
    /// Where it ends; absent where it has no end, or where there are too few blocks.
    pub peak_high: Option<f64>,
}

/// A straight line, by least squares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// At a value of zero.
    pub intercept: f64,
    /// For each one more.
    pub slope: f64,
    /// The interval of the slope: of 95 %, by drawing blocks anew; absent where there are too few.
    pub slope_interval: Option<(f64, f64)>,
}

impl Scaling {
    /// Every sweep among the cases of an outcome, with its contenders. `record` is what the outcome is of.
    pub fn of(record: &Record, outcome: &Outcome) -> Vec<Self> {
        let cases = outcome.cases.iter().map(|case| &case.case);
        let scaling = |sweep: Sweep| {
            let ours = |case: &&crate::CaseOutcome| sweep.values.iter().any(|(_, swept)| *swept == case.case);
            let mut names: Vec<&str> = Vec::new();
            let mut unit = "unit";
            for case in outcome.cases.iter().filter(ours) {
                unit = &case.unit;
                for contender in case.contenders.iter().filter(|contender| contender.status.is_ok()) {
                    if !names.contains(&contender.name.as_str()) {
                        names.push(&contender.name);
                    }
                }
            }
            let contenders = names.into_iter().map(|name| ScaledContender::of(record, outcome, &sweep, name));
            let (contenders, unit) = (contenders.collect(), unit.to_owned());
            Self { sweep, unit, contenders }
        };
        sweeps(record, cases).into_iter().map(scaling).collect()
    }
}

/// What each block of a case says.
struct Measured {
    value: f64,
    blocks: Vec<(u32, f64)>,
}

impl Measured {
    fn of(value: u64, samples: &[&Sample], of: impl Fn(&Sample) -> Option<f64>) -> Self {
        let blocks = samples.iter().filter_map(|sample| Some((sample.block, of(sample)?)));
        Self { value: value as f64, blocks: blocks.collect() }
    }

    fn all(&self) -> Vec<f64> {
        self.blocks.iter().map(|(_, value)| *value).collect()
    }

    /// The value with the median over these blocks, of which some may be missing here.
    fn point(&self, blocks: &[u32]) -> Option<(f64, f64)> {
        let find = |block: &u32| self.blocks.iter().find(|(known, _)| known == block).map(|(_, value)| *value);
        Some((self.value, median(&blocks.iter().filter_map(find).collect::<Vec<_>>())?))
    }
}

/// The points of a curve, by the medians over all blocks.
fn points(curve: &[Measured]) -> Vec<(f64, f64)> {
    curve.iter().filter_map(|measured| Some((measured.value, median(&measured.all())?))).collect()
}

/// The same curve by blocks that are drawn anew. Those of all values are drawn together, since blocks of the same number were
/// measured in the same round, and share the state of the machine.
fn drawn(curve: &[Measured]) -> impl Iterator<Item = Option<Vec<(f64, f64)>>> {
    let mut blocks: Vec<u32> = curve.iter().flat_map(|measured| &measured.blocks).map(|(block, _)| *block).collect();
    blocks.sort_unstable();
    blocks.dedup();
    draws(blocks.len()).map(move |draw| {
        let blocks: Vec<u32> = draw.iter().map(|&index| blocks[index]).collect();
        curve.iter().map(|measured| measured.point(&blocks)).collect()
    })
}

impl ScaledContender {
    fn of(record: &Record, outcome: &Outcome, sweep: &Sweep, name: &str) -> Self {
        let is_measured = |case: &crate::Case| {
            let case = outcome.cases.iter().find(|outcome| outcome.case == *case);
            case.and_then(|case| case.contender(name)).is_some_and(|contender| contender.status.is_ok())
        };
        let measured: Vec<&(u64, crate::Case)> = sweep.values.iter().filter(|(_, case)| is_measured(case)).collect();
        let curve = |metric: Metric, of: &dyn Fn(&Sample) -> Option<f64>| -> Vec<Measured> {
            let of_case = |(value, case): &&(u64, crate::Case)| {
                Measured::of(*value, &samples_for(record, case, name, metric), of)
            };
            measured.iter().map(of_case).collect()
        };
        let per_second = |sample: &Sample| UnitsPerSecond::of(sample.units, Nanos(sample.wall_ns)).map(|per| per.0);
        let throughput = curve(Metric::Wall, &per_second);
        let memory = curve(Metric::PeakRss, &|sample| sample.peak_rss.map(|bytes| bytes.0 as f64));
        let level = |measured: &Measured| Level::of(&measured.all());
        let both = measured.iter().zip(throughput.iter().zip(&memory));
        let (law, no_law) = match fit(&sweep.parameter, &throughput) {
            Ok(law) => (Some(law), None),
            Err(why) => (None, Some(why)),
        };
        Self {
            name: name.to_owned(),
            points: both
                .map(|((value, _), (throughput, memory))| ScalingPoint {
                    value: *value,
                    throughput: level(throughput),
                    peak_rss: level(memory),
                })
                .collect(),
            law,
            no_law,
            memory: line(&memory),
        }
    }
}

/// The law of a curve of throughput. Fails with why there is none.
fn fit(parameter: &str, curve: &[Measured]) -> Result<UslFit, String> {
    if !COUNTS.contains(&parameter) {
        return Err(format!("{parameter} does not say how many work or ask, which is what the law is about"));
    }
    let points = points(curve);
    if points.iter().any(|(n, _)| *n < 1.0) {
        return Err(format!("{parameter} is 0 somewhere, and the law begins at 1"));
    }
    if points.len() < LEAST_VALUES {
        let (values, least) = (points.len(), LEAST_VALUES);
        return Err(format!(
            "measured at {values} values of {parameter}; the law cannot be fitted to fewer than {least}"
        ));
    }
    let law = Usl::fit(&points).ok_or("the law cannot be fitted to this curve")?;
    let laws: Vec<Option<Usl>> = drawn(curve).map(|points| Usl::fit(&points?)).collect();
    let interval = |of: &dyn Fn(&Usl) -> f64| {
        percentile_interval(&laws.iter().map(|law| law.as_ref().map(of)).collect::<Vec<_>>())
    };
    let peak = interval(&|law| law.peak().unwrap_or(f64::INFINITY));
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    Ok(UslFit {
        law,
        lambda_interval: interval(&|law| law.lambda),
        sigma_interval: interval(&|law| law.sigma),
        kappa_interval: interval(&|law| law.kappa),
        peak: law.peak(),
        peak_low: peak.and_then(|(low, _)| finite(low)),
        peak_high: peak.and_then(|(_, high)| finite(high)),
    })
}

/// The line of a curve of memory. Nothing for fewer than two values.
fn line(curve: &[Measured]) -> Option<Line> {
    let (intercept, slope) = least_squares(&points(curve))?;
    let slopes: Vec<Option<f64>> = drawn(curve).map(|points| Some(least_squares(&points?)?.1)).collect();
    Some(Line { intercept, slope, slope_interval: percentile_interval(&slopes) })
}

/// Intercept and slope of the line with the least squares. Nothing for fewer than two different values.
fn least_squares(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (across, along) = points.iter().fold((0.0, 0.0), |(across, along), point| {
        (across + (point.0 - x) * (point.1 - y), along + (point.0 - x).powi(2))
    });
    let slope = across / along;
    (along > 0.0 && slope.is_finite()).then_some((y - slope * x, slope))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{BlockRow, ContenderRow, Role, Row};
    use crate::{Arrangement, Bytes, Case, Status};

    const MIB: u64 = 1 << 20;

    /// Eight blocks at each of these numbers of threads, with a throughput that follows a law but for a thousandth of scatter,
    /// and 10 MiB and 3 for each thread.
    fn record(parameter: &str, values: &[u64], law: &Usl) -> Record {
        let mut record = Record::default();
        record.contenders.push(ContenderRow {
            name: "system".into(),
            role: Role::Reference,
            status: Status::Ok,
            backend: "system".into(),
            set: Vec::new(),
            identity: None,
        });
        for &value in values {
            let case = Case::new("a/b").with(parameter, value);
            for block in 0..8 {
                let scatter = 1.0 + 0.001 * (f64::from(block) - 3.5) / 3.5;
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and positive")]
                let wall_ns = (1e12 / law.at(value as f64) * scatter) as u64;
                record.push(Row::Sample(Box::new(Sample {
                    units: 1000,
                    wall_ns,
                    peak_rss: Some(Bytes(MIB * (10 + 3 * value))),
                    ..Sample::new(case.clone(), "system", Role::Reference, block, Arrangement::Alone)
                })));
                let (case, arrangement) = (case.clone(), Arrangement::Alone);
                record.push(Row::Block(BlockRow { case, block, arrangement, wall_ns: 1, timed_ns: 1 }));
            }
        }
        record
    }

    fn scaling(record: &Record) -> Vec<Scaling> {
        Scaling::of(record, &Outcome::of(record))
    }

    const LAW: Usl = Usl { lambda: 1000.0, sigma: 0.1, kappa: 0.01, r_squared: None };

    #[test]
    fn a_sweep_has_its_curve_its_law_and_its_line_of_memory() {
        let all = scaling(&record("threads", &[1, 2, 4, 8, 16], &LAW));
        let [scaling] = all.as_slice() else { panic!("one sweep: {all:?}") };
        let [system] = scaling.contenders.as_slice() else { panic!("one contender: {scaling:?}") };
        assert_eq!(system.points.iter().map(|point| point.value).collect::<Vec<_>>(), [1, 2, 4, 8, 16]);
        let one = system.points[0].throughput.unwrap();
        assert!((one.value - 1000.0).abs() < 1.0 && one.low < Some(one.value) && one.high > Some(one.value), "{one:?}");
        let law = system.law.unwrap();
        assert!((law.law.sigma - 0.1).abs() < 1e-4 && (law.law.kappa - 0.01).abs() < 1e-4, "{law:?}");
        assert!((law.peak.unwrap() - 90.0_f64.sqrt()).abs() < 0.05, "{law:?}");
        let (low, high) = law.lambda_interval.unwrap();
        assert!(low < 1000.0 && 1000.0 < high && high - low < 3.0, "{law:?}");
        let memory = system.memory.unwrap();
        assert!((memory.slope / (3 * MIB) as f64 - 1.0).abs() < 1e-9, "{memory:?}");
        assert!((memory.intercept / (10 * MIB) as f64 - 1.0).abs() < 1e-9, "{memory:?}");
        let (low, high) = memory.slope_interval.unwrap();
        assert!((low - memory.slope).abs() < 1.0 && (high - memory.slope).abs() < 1.0, "{memory:?}");
    }

    #[test]
    fn a_curve_without_a_peak_has_no_end_to_its_interval() {
        let linear = Usl { sigma: 0.0, kappa: 0.0, ..LAW };
        let law = scaling(&record("connections", &[1, 10, 100, 1000], &linear))[0].contenders[0].law.unwrap();
        assert!(law.law.sigma < 1e-6 && law.law.kappa < 1e-6 && law.peak_high.is_none(), "{law:?}");
    }

    #[test]
    fn what_cannot_be_fitted_says_why_and_keeps_its_curve() {
        for (parameter, values, why) in [
            ("threads", &[1, 2, 4][..], "measured at 3 values of threads"),
            ("live", &[1, 2, 4, 8], "live does not say how many"),
            ("connections", &[0, 2, 4, 8], "connections is 0 somewhere"),
        ] {
            let at_zero = Usl { sigma: 0.0, ..LAW };
            let mut record = record(parameter, values, &at_zero);
            // Nothing can be done by nobody, and still a record may say that it was.
            for sample in record.samples.iter_mut().filter(|sample| sample.wall_ns == u64::MAX) {
                sample.wall_ns = 1;
            }
            let all = scaling(&record);
            let system = &all[0].contenders[0];
            assert!(
                system.law.is_none() && system.no_law.as_ref().is_some_and(|text| text.contains(why)),
                "{system:?}"
            );
            assert_eq!(system.points.len(), values.len());
            assert!(system.memory.is_some());
        }
    }

    #[test]
    fn few_blocks_have_no_intervals() {
        let mut record = record("threads", &[1, 2, 4, 8], &LAW);
        record.samples.retain(|sample| sample.block < 3);
        record.blocks.retain(|row| row.block < 3);
        let all = scaling(&record);
        let system = &all[0].contenders[0];
        let law = system.law.unwrap();
        assert_eq!((law.lambda_interval, law.peak_low, law.peak_high), (None, None, None));
        assert!(law.peak.is_some() && system.memory.unwrap().slope_interval.is_none());
    }

    #[test]
    fn a_contender_that_failed_somewhere_is_fitted_where_it_did_not() {
        let mut record = record("threads", &[1, 2, 4, 8, 16], &LAW);
        let failed = record.samples.iter_mut().find(|s| s.case.parameters["threads"] == "16").unwrap();
        failed.status = Status::Timeout { detail: "in a test".into() };
        let all = scaling(&record);
        let system = &all[0].contenders[0];
        assert_eq!(system.points.len(), 4);
        assert!(system.law.is_some());
        assert_eq!(scaling(&Record::default()), []);
    }
}

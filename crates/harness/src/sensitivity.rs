//! How much each workload depends on its allocator: the best of the contenders against the worst.

use serde::{Deserialize, Serialize};

use crate::Case;
use crate::analysis::ratio_of;
use crate::outcome::{CaseOutcome, Metric, Outcome};
use crate::record::Record;
use crate::stats::Estimate;

/// One case, and what its contenders make of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sensitivity {
    /// The case.
    pub case: Case,
    /// By throughput.
    pub throughput: Option<Spread>,
    /// By CPU time for the same work.
    pub cpu: Option<Spread>,
    /// By peak resident memory.
    pub peak_rss: Option<Spread>,
}

/// How far the best is from the worst.
///
/// Who they are is chosen by what was measured, so that the ratio is a little above 1 even where nobody differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Who does the work with the least.
    pub best: String,
    /// Who needs the most.
    pub worst: String,
    /// Worst ÷ best of what is needed, which is best ÷ worst of throughput: from 1 on.
    pub estimate: Estimate,
}

impl Sensitivity {
    /// Every case with two contenders or more, the most sensitive first: by throughput, and where that was not measured, last.
    /// `record` is what the outcome is of.
    pub fn of(record: &Record, outcome: &Outcome) -> Vec<Self> {
        let of_case = |case: &CaseOutcome| {
            let spread = |metric| Spread::of(record, case, &outcome.reference, metric);
            let (throughput, cpu, peak_rss) = (spread(Metric::Wall), spread(Metric::Cpu), spread(Metric::PeakRss));
            let any = throughput.is_some() || cpu.is_some() || peak_rss.is_some();
            any.then(|| Self { case: case.case.clone(), throughput, cpu, peak_rss })
        };
        let mut all: Vec<Self> = outcome.cases.iter().filter_map(of_case).collect();
        let ratio = |sensitivity: &Self| sensitivity.throughput.as_ref().map_or(0.0, |spread| spread.estimate.ratio);
        all.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
        all
    }
}

impl Spread {
    /// Who needs the least and the most of a metric, going by their ratios to the reference, and how they compare with each
    /// other.
    fn of(record: &Record, case: &CaseOutcome, reference: &str, metric: Metric) -> Option<Self> {
        let ratio = |contender: &crate::ContenderOutcome| match contender.compared(metric) {
            Some(compared) => Some(compared.estimate.ratio),
            None => (contender.name == reference).then_some(1.0),
        };
        let measured = case.contenders.iter().filter(|contender| contender.status.is_ok());
        let ratios: Vec<(&str, f64)> = measured.filter_map(|c| Some((c.name.as_str(), ratio(c)?))).collect();
        let best = ratios.iter().min_by(|a, b| a.1.total_cmp(&b.1))?.0;
        let worst = ratios.iter().max_by(|a, b| a.1.total_cmp(&b.1))?.0;
        if best == worst {
            return None;
        }
        let estimate = ratio_of(record, &case.case, (worst, best), metric)?;
        Some(Self { best: best.to_owned(), worst: worst.to_owned(), estimate })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{BlockRow, ContenderRow, Role, Row, Sample, Turns};
    use crate::{Arrangement, Bytes, Status};

    /// Eight blocks of each workload, in which contenders take these multiples of the reference's time.
    fn record(cases: &[(&str, &[(&str, u64)])]) -> Record {
        let mut record = Record::default();
        for (index, (name, _)) in cases[0].1.iter().enumerate() {
            record.contenders.push(ContenderRow {
                name: (*name).into(),
                role: if index == 0 { Role::Reference } else { Role::Contender },
                status: Status::Ok,
                backend: (*name).into(),
                set: Vec::new(),
                identity: None,
            });
        }
        let arrangement = Arrangement::Turns;
        for (workload, contenders) in cases {
            let case = Case::new(*workload);
            for block in 0..8 {
                for (name, times) in *contenders {
                    let ns = 1_000_000 * times;
                    let turns = Turns {
                        wall_ns: vec![ns],
                        user_ns: vec![ns],
                        system_ns: vec![0],
                        idle_cpu_ns: vec![0],
                        ..Turns::default()
                    };
                    record.push(Row::Sample(Box::new(Sample {
                        units: 10,
                        wall_ns: ns,
                        user_ns: ns,
                        peak_rss: Some(Bytes(1 << 20)),
                        turns,
                        ..Sample::new(case.clone(), name, Role::Contender, block, arrangement)
                    })));
                }
                record.push(Row::Block(BlockRow { case: case.clone(), block, arrangement, wall_ns: 1, timed_ns: 1 }));
            }
        }
        record
    }

    fn sensitivity(record: &Record) -> Vec<Sensitivity> {
        Sensitivity::of(record, &Outcome::of(record))
    }

    #[test]
    fn the_most_sensitive_comes_first_with_its_best_and_worst() {
        let lean: &[(&str, u64)] = &[("system", 10), ("quick", 9), ("slow", 11)];
        let heavy: &[(&str, u64)] = &[("system", 10), ("quick", 5), ("slow", 20)];
        let all = sensitivity(&record(&[("a/lean", lean), ("a/heavy", heavy)]));
        let seen: Vec<(&str, f64)> =
            all.iter().map(|s| (s.case.workload.as_str(), s.throughput.as_ref().unwrap().estimate.ratio)).collect();
        assert_eq!(seen.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["a/heavy", "a/lean"]);
        assert!((seen[0].1 - 4.0).abs() < 1e-9 && (seen[1].1 - 11.0 / 9.0).abs() < 1e-9, "{seen:?}");
        let spread = all[0].cpu.as_ref().unwrap();
        assert_eq!((spread.best.as_str(), spread.worst.as_str()), ("quick", "slow"));
        assert!(spread.estimate.interval().is_some());
    }

    #[test]
    fn the_reference_can_be_either() {
        let first = sensitivity(&record(&[("a/b", &[("system", 1), ("slow", 2)])]));
        let spread = first[0].throughput.as_ref().unwrap();
        assert_eq!((spread.best.as_str(), spread.worst.as_str()), ("system", "slow"));
        let last = sensitivity(&record(&[("a/b", &[("system", 2), ("quick", 1)])]));
        let spread = last[0].throughput.as_ref().unwrap();
        assert_eq!((spread.best.as_str(), spread.worst.as_str()), ("quick", "system"));
    }

    #[test]
    fn where_nobody_differs_the_ratio_is_one_and_alone_there_is_none() {
        let equal = sensitivity(&record(&[("a/b", &[("system", 3), ("other", 3)])]));
        let spread = equal[0].throughput.as_ref().unwrap();
        assert!((spread.estimate.ratio - 1.0).abs() < 1e-12, "{spread:?}");
        assert_eq!(sensitivity(&record(&[("a/b", &[("system", 3)])])), []);
    }
}

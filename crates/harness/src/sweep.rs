//! Sweeps: cases of one workload that differ in one number only.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Case;
use crate::record::Record;

/// Cases of one workload with different values of one parameter, and the same of all others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// The workload, with what was asked for besides.
    pub base: Case,
    /// The parameter that differs.
    pub parameter: String,
    /// Its values in ascending order, each with its case.
    pub values: Vec<(u64, Case)>,
}

impl Sweep {
    /// One of what the parameter counts: `thread`.
    pub fn unit(&self) -> &str {
        match self.parameter.strip_suffix('s') {
            Some(one) if self.parameter.len() > 3 => one,
            _ => &self.parameter,
        }
    }
}

/// The sweeps among these cases of a record, in their order; a case can belong to several, as in a grid. The parameters in
/// force are compared, so that a default counts as its value.
pub fn sweeps<'a>(record: &Record, cases: impl IntoIterator<Item = &'a Case>) -> Vec<Sweep> {
    let mut sweeps: Vec<(BTreeMap<&str, &str>, Sweep)> = Vec::new();
    for case in cases {
        let row = record.cases.iter().find(|row| row.case == *case);
        let mut in_force: BTreeMap<&str, &str> =
            case.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        in_force.extend(
            row.into_iter()
                .flat_map(|row| &row.parameters_in_force)
                .map(|(name, value)| (name.as_str(), value.as_str())),
        );
        for (&parameter, &value) in &in_force {
            let Ok(value) = value.parse::<u64>() else { continue };
            let mut others = in_force.clone();
            others.remove(parameter);
            let same = |(its, sweep): &&mut (BTreeMap<&str, &str>, Sweep)| {
                sweep.parameter == parameter && sweep.base.workload == case.workload && *its == others
            };
            if let Some((_, sweep)) = sweeps.iter_mut().find(same) {
                // Two cases can ask for the same in two ways; one of them is enough.
                if sweep.values.iter().all(|(known, _)| *known != value) {
                    sweep.values.push((value, case.clone()));
                }
            } else {
                let mut base = case.clone();
                base.parameters.remove(parameter);
                let values = vec![(value, case.clone())];
                sweeps.push((others, Sweep { base, parameter: parameter.to_owned(), values }));
            }
        }
    }
    let mut sweeps: Vec<Sweep> = sweeps.into_iter().map(|(_, sweep)| sweep).collect();
    sweeps.retain(|sweep| sweep.values.len() > 1);
    for sweep in &mut sweeps {
        sweep.values.sort_unstable();
    }
    sweeps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::CaseRow;
    use crate::{Arrangement, Nanos};

    /// A record of these cases, in which these parameters are in force.
    fn record(cases: &[(&Case, &[(&str, &str)])]) -> Record {
        let row = |(case, in_force): &(&Case, &[(&str, &str)])| CaseRow {
            case: (*case).clone(),
            unit: "thing".into(),
            parameters_in_force: in_force.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            lanes: 1,
            turn_units: 1,
            turn: Nanos(1),
            turns: 1,
            turns_alone: None,
            over_time: false,
            settle_ms: Vec::new(),
            arrangements: vec![Arrangement::Turns],
            no_turns: None,
        };
        Record { cases: cases.iter().map(row).collect(), ..Record::default() }
    }

    fn found(record: &Record, cases: &[&Case]) -> Vec<(String, String, Vec<u64>)> {
        let shown = |sweep: Sweep| {
            (sweep.base.to_string(), sweep.parameter, sweep.values.into_iter().map(|(value, _)| value).collect())
        };
        sweeps(record, cases.iter().copied()).into_iter().map(shown).collect()
    }

    #[test]
    fn a_default_is_a_value_like_any_other() {
        let (default, eight) = (Case::new("a/b"), Case::new("a/b").with("threads", 8));
        let one = Case::new("a/b").with("threads", 1);
        let record = record(&[
            (&eight, &[("threads", "8"), ("live", "5")]),
            (&default, &[("threads", "2"), ("live", "5")]),
            (&one, &[("threads", "1"), ("live", "5")]),
        ]);
        let all = found(&record, &[&eight, &default, &one]);
        assert_eq!(all, [("a/b".to_owned(), "threads".to_owned(), vec![1, 2, 8])]);
        assert_eq!(found(&record, &[&eight]), [], "one case is no sweep");
    }

    #[test]
    fn a_grid_has_a_sweep_for_each_row_and_column() {
        let case = |threads: u64, live: u64| Case::new("a/b").with("threads", threads).with("live", live);
        let cases = [case(1, 5), case(2, 5), case(1, 7), case(2, 7)];
        let all = found(&Record::default(), &cases.iter().collect::<Vec<_>>());
        let bases: Vec<&str> = all.iter().map(|(base, _, _)| base.as_str()).collect();
        assert_eq!(bases, ["a/b?threads=1", "a/b?live=5", "a/b?threads=2", "a/b?live=7"]);
        assert!(all.iter().all(|(_, _, values)| values.len() == 2), "{all:?}");
    }

    #[test]
    fn words_other_workloads_and_more_than_one_difference_make_no_sweep() {
        let cases = [
            Case::new("a/b").with("stack", "one"),
            Case::new("a/b").with("stack", "two"),
            Case::new("a/c").with("threads", 1),
            Case::new("a/d").with("threads", 2),
            Case::new("a/e").with("threads", 1).with("live", 1),
            Case::new("a/e").with("threads", 2).with("live", 2),
        ];
        assert_eq!(found(&Record::default(), &cases.iter().collect::<Vec<_>>()), []);
    }

    #[test]
    fn the_same_value_twice_is_one() {
        let (asked, default) = (Case::new("a/b").with("threads", 2), Case::new("a/b"));
        let two: &[(&str, &str)] = &[("threads", "2")];
        assert_eq!(found(&record(&[(&asked, two), (&default, two)]), &[&asked, &default]), []);
    }

    #[test]
    fn what_is_counted_has_a_singular() {
        let unit = |parameter: &str| {
            let parameter = parameter.to_owned();
            Sweep { base: Case::new("a/b"), parameter, values: Vec::new() }.unit().to_owned()
        };
        assert_eq!(["threads", "connections", "live", "s"].map(unit), ["thread", "connection", "live", "s"]);
    }
}

//! The records of all runs.

use std::collections::BTreeMap;
use std::path::Path;

use heapmark::record::{Record, Role, Sample};
use heapmark::{Arrangement, Case, CaseOutcome, Outcome};

use crate::reports::Runs;

/// Records and what they say, by the name of the run.
pub(crate) struct Records(BTreeMap<String, (Record, Outcome)>);

impl Records {
    /// Reads the record of every run that has one.
    pub(crate) fn read(folder: &Path, runs: &Runs) -> Result<Self, String> {
        let present = runs.0.keys().map(|name| (name, folder.join(format!("{name}.jsonl"))));
        let read = present.filter(|(_, path)| path.exists()).map(|(name, path)| {
            let record = Record::read(&path).map_err(|error| error.to_string())?;
            let outcome = Outcome::of(&record);
            Ok((name.clone(), (record, outcome)))
        });
        Ok(Self(read.collect::<Result<_, String>>()?))
    }

    /// The record of a run, and what it says.
    pub(crate) fn of(&self, run: &str) -> Result<&(Record, Outcome), String> {
        self.0.get(run).ok_or_else(|| format!("there is no record of the run {run:?}"))
    }

    /// Any of them, for what it says of the machine.
    pub(crate) fn any(&self) -> Option<&Record> {
        self.0.values().next().map(|(record, _)| record)
    }
}

/// The case of this form in a record; its only one, if none is named.
pub(crate) fn case<'a>(outcome: &'a Outcome, wanted: Option<&str>) -> Result<&'a CaseOutcome, String> {
    match wanted {
        Some(text) => {
            let case = Case::parse(text).map_err(|error| error.to_string())?;
            let found = outcome.cases.iter().find(|outcome| outcome.case == case);
            found.ok_or_else(|| format!("the record has no case {text}"))
        }
        None => match outcome.cases.as_slice() {
            [only] => Ok(only),
            _ => Err("the record has several cases; name one".to_owned()),
        },
    }
}

/// The sound samples of one contender in one case and arrangement, by block.
pub(crate) fn samples<'a>(
    record: &'a Record,
    case: &'a Case,
    contender: &str,
    arrangement: Arrangement,
) -> BTreeMap<u32, &'a Sample> {
    let its = record.counting_samples(case).filter(|sample| {
        sample.contender == contender && sample.role != Role::Twin && sample.arrangement == arrangement
    });
    its.filter(|sample| sample.status.is_ok()).map(|sample| (sample.block, sample)).collect()
}

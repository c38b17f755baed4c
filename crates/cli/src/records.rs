//! Records that were asked for: read, held against each other, judged, and cut down to what is selected.

use std::path::PathBuf;

use heapmark::record::Record;
use heapmark::{Case, Error, Outcome, ShownPath, why_not_side_by_side};

use crate::args::{Judging, RecordSelection};
use crate::print::Output;
use crate::select::passes;

/// A record and what it says.
pub(crate) struct Judged {
    /// Its path, as it was given.
    pub(crate) name: String,
    pub(crate) record: Record,
    /// Of the selected workloads and contenders.
    pub(crate) outcome: Outcome,
}

/// Reads records to be shown in one table. Fails where they must not stand there together, saying why in one line.
pub(crate) fn read(paths: &[PathBuf], judging: &Judging, selection: &RecordSelection) -> Result<Vec<Judged>, Error> {
    let mut all: Vec<Judged> = Vec::new();
    for path in paths {
        let name = ShownPath(path).to_string();
        let record = Record::read(path)?;
        for other in &all {
            if let Some(why) = why_not_side_by_side(&other.record, &record) {
                return Err(Error::Usage(format!("{} and {name} do not belong in one table: {why}", other.name)));
            }
        }
        let outcome = Outcome::judged(&record, judging.reference.as_deref(), judging.margin)
            .map_err(|error| Error::Usage(format!("{name}: {error}")))?;
        all.push(Judged { name, record, outcome });
    }
    if let [first, others @ ..] = all.as_slice() {
        let margin = first.outcome.margin;
        if let Some(other) = others.iter().find(|other| other.outcome.margin.to_bits() != margin.to_bits()) {
            let (name, theirs) = (&other.name, other.outcome.margin);
            let both = format!("{} has a margin of {} %, {name} of {} %", first.name, margin * 100.0, theirs * 100.0);
            return Err(Error::Usage(format!("{both}; give --margin")));
        }
    }
    let known: Vec<String> =
        all.iter().flat_map(|judged| &judged.outcome.cases).map(|case| case.case.to_string()).collect();
    for judged in &mut all {
        selection.cut(&mut judged.outcome);
    }
    all.retain(|judged| !judged.outcome.cases.is_empty());
    if all.is_empty() {
        return Err(Error::NothingSelected(format!("nothing is selected; the workloads are {}", known.join(", "))));
    }
    Ok(all)
}

impl RecordSelection {
    /// Whether a workload is selected.
    fn takes_case(&self, case: &Case) -> bool {
        passes(&case.workload, &self.workload, &self.no_workload)
    }

    /// Takes away what is not selected. A workload in which nobody is left to compare goes too, unless there never was anyone.
    fn cut(&self, outcome: &mut Outcome) {
        let reference = outcome.reference.clone();
        outcome.cases.retain(|case| self.takes_case(&case.case));
        for case in &mut outcome.cases {
            case.contenders.retain(|c| c.name == reference || passes(&c.name, &self.allocator, &self.no_allocator));
        }
        if !self.allocator.is_empty() || !self.no_allocator.is_empty() {
            outcome.cases.retain(|case| case.contenders.iter().any(|contender| contender.name != reference));
        }
    }
}

impl Judged {
    /// Whether a sample of this contender in this case belongs to what is selected; the twin does.
    pub(crate) fn shows(&self, case: &Case, contender: &str) -> bool {
        let case = self.outcome.cases.iter().find(|outcome| outcome.case == *case);
        case.is_some_and(|case| case.contenders.iter().chain(&case.twin).any(|c| c.name == contender))
    }
}

/// Prints which workloads and contenders are selected: a line for each pair, and the record where there are several.
pub(crate) fn list(all: &[Judged], output: &Output) -> Result<(), Error> {
    for judged in all {
        for case in &judged.outcome.cases {
            for contender in &case.contenders {
                let record = if all.len() > 1 { format!("\t{}", judged.name) } else { String::new() };
                output.line(format_args!("{}\t{}\t{}{record}", case.case, contender.name, contender.status.label()))?;
            }
        }
    }
    Ok(())
}

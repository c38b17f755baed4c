//! The list of faults, for a reader.

use std::fmt::Write;

use crate::table::FAULTS;

/// All faults as a Markdown table.
pub fn markdown() -> String {
    let mut table = String::from("| fault | what it does | made after | found by | as |\n|---|---|---|---|---|\n");
    for fault in FAULTS {
        let (name, check, finding) = (fault.name, fault.check, fault.finding.word());
        // A string takes all that is written to it.
        let _ = writeln!(table, "| `{name}` | {} | {} | `{check}` | {finding} |", fault.summary, fault.resembles);
    }
    table
}

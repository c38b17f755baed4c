//! What there is to compare, and on what.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Style;
use super::table::{grid, render};
use crate::Nanos;
use crate::case::{Catalogue, WorkloadInfo};
use crate::record::{ContenderRow, KnobValue};

/// A line for each contender: what it is for, versions, proof, what its wrapper forwards, knobs, state.
pub fn contenders(rows: &[ContenderRow], style: Style) -> String {
    let mut table = grid(style);
    table.set_header(["allocator", "kind", "crate", "version", "licence", "proof", "knobs", "state"]);
    for row in rows {
        let Some(identity) = &row.identity else {
            table.add_row([row.name.as_str(), "", "", "", "", "", "", &row.status.to_string()]);
            continue;
        };
        let krate = format!("{} {}", identity.crate_name, identity.crate_version);
        let knobs = knobs(row, &identity.knobs);
        table.add_row([
            row.name.as_str(),
            &identity.kind.to_string(),
            krate.trim(),
            &identity.upstream_version,
            &identity.licence,
            &identity.proof,
            &knobs,
            &row.status.label(),
        ]);
    }
    render(&table)
}

/// The knobs that are turned, with the values read back; else how many there are to turn.
fn knobs(row: &ContenderRow, known: &BTreeMap<String, KnobValue>) -> String {
    if row.set.is_empty() {
        return match known.len() {
            0 => "none".into(),
            count => format!("{count} at their defaults"),
        };
    }
    let turned = row.set.iter().map(|(name, value)| {
        let confirmed = known.get(name).is_some_and(|knob| knob.confirmed);
        format!("{name}:{value}{}", if confirmed { "" } else { " (unconfirmed)" })
    });
    turned.collect::<Vec<_>>().join(" ")
}

/// A line for each workload, and the sets there are.
pub fn workloads(catalogue: &Catalogue) -> String {
    let mut table = grid(Style::Text);
    table.set_header(["workload", "unit", "what it does"]);
    for workload in &catalogue.workloads {
        table.add_row([&workload.name, &workload.unit, &workload.summary]);
    }
    let mut text = render(&table);
    for set in &catalogue.sets {
        let _ = write!(text, "\n\nset {}: {}: {}", set.name, set.summary, set.workloads.join(", "));
    }
    text
}

/// One workload in full: what it does and its parameters.
pub fn workload(workload: &WorkloadInfo) -> String {
    let mut text = format!(
        "{}: {}\n\n{}\n\nThe unit is: {}.\n\n",
        workload.name, workload.summary, workload.details, workload.unit
    );
    let mut table = grid(Style::Text);
    table.set_header(["parameter", "default", "values", "what it sets"]);
    for parameter in &workload.parameters {
        table.add_row([&parameter.name, &parameter.default, &parameter.values.to_string(), &parameter.summary]);
    }
    text.push_str(&render(&table));
    text.push('\n');
    if workload.is_over_time() {
        let moments: Vec<String> =
            workload.settle_ms.iter().map(|ms| Nanos(ms.saturating_mul(1_000_000)).to_string()).collect();
        let _ = writeln!(
            text,
            "\nIt is about memory over time: where it runs undisturbed, it has more turns, and memory is read again {} after \
             everything was dropped.",
            moments.join(", ")
        );
    }
    text
}

//! What there is to compare, and on what.

use std::collections::BTreeMap;
use std::fmt::Write;

use comfy_table::{ContentArrangement, Table};
use unicode_width::UnicodeWidthStr;

use super::columns::wrapped;
use super::table::{grid, render};
use super::{Screen, Style};
use crate::Nanos;
use crate::case::{Catalogue, WorkloadInfo};
use crate::record::{ContenderRow, KnobValue};

/// A line for each contender: what it is for, versions, proof, what its wrapper forwards, knobs, state.
pub fn contenders(rows: &[ContenderRow], style: Style, screen: &Screen) -> String {
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
    fitted(table, screen)
}

/// The table's text. Where it is wider than the screen, cells take several lines.
fn fitted(mut table: Table, screen: &Screen) -> String {
    let text = render(&table);
    let width = text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
    let Some(room) = screen.width.filter(|_| !screen.fits(width)) else { return text };
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(room).unwrap_or(u16::MAX));
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
pub fn workloads(catalogue: &Catalogue, screen: &Screen) -> String {
    let mut table = grid(Style::Text);
    table.set_header(["workload", "unit", "what it does"]);
    for workload in &catalogue.workloads {
        table.add_row([&workload.name, &workload.unit, &workload.summary]);
    }
    let mut text = fitted(table, screen);
    for set in &catalogue.sets {
        let line = format!("set {}: {}: {}", set.name, set.summary, set.workloads.join(", "));
        let _ = write!(text, "\n\n{}", wrapped(&line, 0, screen).join("\n"));
    }
    text
}

/// A set with its members, each in a line of its own, to be typed again.
pub fn set(name: &str, summary: &str, members: &[String]) -> String {
    let mut text = format!("  {name}");
    if !summary.is_empty() {
        let _ = write!(text, ": {summary}");
    }
    for member in members {
        let _ = write!(text, "\n    {member}");
    }
    text
}

/// One workload in full: what it does and its parameters.
pub fn workload(workload: &WorkloadInfo, screen: &Screen) -> String {
    let heading = format!("{}: {}", workload.name, workload.summary);
    let unit = format!("The unit is: {}.", workload.unit);
    let prose = [&heading, &workload.details, &unit].map(|text| {
        let lines = wrapped(text, 0, screen);
        lines.iter().map(|line| line.trim_start()).collect::<Vec<_>>().join("\n") + "\n\n"
    });
    let mut text = prose.concat();
    let mut table = grid(Style::Text);
    table.set_header(["parameter", "default", "values", "what it sets"]);
    for parameter in &workload.parameters {
        table.add_row([&parameter.name, &parameter.default, &parameter.values.to_string(), &parameter.summary]);
    }
    text.push_str(&fitted(table, screen));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;
    use crate::case::{ParameterInfo, ParameterValues};
    use crate::record::{IdentityRow, Kind, Role};

    fn contender(name: &str, version: &str, status: Status) -> ContenderRow {
        let identity = IdentityRow {
            crate_name: "a-crate".into(),
            crate_version: "0.1.0".into(),
            upstream_version: version.into(),
            licence: "MIT OR Apache-2.0".into(),
            forwards: String::new(),
            kind: Kind::Allocator,
            proof: "api".into(),
            proof_detail: String::new(),
            build: String::new(),
            features: String::new(),
            knobs: BTreeMap::new(),
            start_rss: None,
        };
        let (backend, set) = (name.to_owned(), Vec::new());
        ContenderRow { name: name.into(), role: Role::Contender, status, backend, set, identity: Some(identity) }
    }

    fn catalogue() -> Catalogue {
        let parameter = ParameterInfo {
            name: "length".into(),
            summary: "bytes of a text that is neither short nor long but takes its time to be described".into(),
            default: "1000".into(),
            values: ParameterValues::Number { min: 1, max: 1_000_000 },
        };
        let workload = WorkloadInfo {
            name: "test/texts".into(),
            summary: "makes texts, puts them together, and takes them apart again, as many programs do".into(),
            unit: "text".into(),
            settle_ms: Vec::new(),
            details: "A paragraph about texts, which says what is done to them, and what can be read from it all."
                .into(),
            parameters: vec![parameter],
        };
        Catalogue { workloads: vec![workload], sets: Vec::new() }
    }

    #[test]
    fn listings_fit_the_screen_and_lose_nothing() {
        let long = "an allocator of a long version 1.2.3 (with several words in brackets)";
        let rows = [contender("system", long, Status::Ok), contender("other", "2", Status::Ok)];
        let catalogue = catalogue();
        let all = |screen: &Screen| {
            [
                contenders(&rows, Style::Text, screen),
                workloads(&catalogue, screen),
                workload(&catalogue.workloads[0], screen),
            ]
        };
        let narrow = Screen { width: Some(60), colour: false };
        for (wide, narrow) in all(&Screen::default()).into_iter().zip(all(&narrow)) {
            let longest = |text: &str| text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
            assert!(longest(&wide) > 60, "there was nothing to do");
            assert!(longest(&narrow) <= 60, "{} columns in\n{narrow}", longest(&narrow));
            let letters = |text: &str| {
                let mut letters: Vec<char> = text.chars().filter(|letter| !letter.is_whitespace()).collect();
                letters.sort_unstable();
                letters
            };
            assert_eq!(letters(&narrow), letters(&wide), "{narrow}");
        }
    }
}

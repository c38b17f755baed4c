//! What was found about a machine, on a terminal.

use super::columns::{Cell, Columns, Screen, Tone, wrapped};
use super::numbers::{interval, percent};
use crate::Judgement;
use crate::doctor::{Finding, Level};

/// A row for each fact, and below them what can be done about those that are in the way.
pub fn findings(findings: &[Finding], screen: &Screen) -> String {
    let mut columns = Columns::default();
    columns.push(["fact", "", "state"].map(|name| Cell::left(name).in_tone(Tone::Heading)).into());
    for finding in findings {
        let tone = match finding.level {
            Level::Ok => Tone::Good,
            Level::Warn => Tone::Doubtful,
            Level::Unknown => Tone::Plain,
        };
        let word = Cell::left(finding.level.word()).in_tone(tone);
        columns.push(vec![Cell::left(&finding.fact), word, Cell::left(&finding.state)]);
    }
    let mut lines = columns.lines(screen);
    let advised: Vec<&Finding> = findings.iter().filter(|finding| !finding.advice.is_empty()).collect();
    if !advised.is_empty() {
        lines.push(String::new());
    }
    for finding in advised {
        lines.extend(wrapped(&format!("{}: {}", finding.fact, finding.advice), 0, screen));
    }
    lines.join("\n")
}

/// The noise of the machine: what two copies of one program differ by, and the least difference that can be found.
pub fn noise(rows: &[Judgement], screen: &Screen) -> String {
    let mut lines = Vec::new();
    for group in rows.chunk_by(|a, b| a.case() == b.case()) {
        let heading = format!("{}: {} against itself", group[0].case(), group[0].reference);
        lines.extend(wrapped(&heading, 0, screen).iter().map(|line| Tone::Heading.paint(line, screen)));
        let mut columns = Columns::default();
        let left = |text: &str| Cell::left(text).in_tone(Tone::Heading);
        let right = |text: &str| Cell::right(text).in_tone(Tone::Heading);
        columns.push(vec![left("metric"), right("ratio"), right("detects"), right("blocks"), left("")]);
        for row in group {
            columns.push(vec![
                Cell::left(row.metric.to_string()),
                Cell::right(row.estimate().map_or_else(|| "n/a".into(), interval)),
                Cell::right(row.mde.map_or_else(|| "n/a".into(), percent)),
                Cell::right(row.blocks.to_string()),
                Cell::left(remark(row)).in_tone(Tone::Bad),
            ]);
        }
        lines.extend(columns.lines(screen));
        lines.push(String::new());
    }
    let legend = "Under detects stands the least true difference that a run of so many blocks finds in four of five cases, the \
                  margin included; n/a where there are fewer than six blocks, for which a longer budget helps. A run has \
                  more turns in each block than this, and four times the blocks halve what noise adds to the margin.";
    lines.extend(wrapped(legend, 0, screen));
    lines.join("\n")
}

fn remark(row: &Judgement) -> String {
    match (&row.status, row.distrusted) {
        (status, _) if !status.is_ok() => status.to_string(),
        (_, true) => "different, though it is the same program".into(),
        _ => String::new(),
    }
}

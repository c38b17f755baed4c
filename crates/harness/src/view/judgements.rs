//! Judgements for people: a table on a terminal or in Markdown; and for spreadsheets, as CSV.

use super::Style;
use super::columns::{Cell, Columns, Screen, Tone, wrapped};
use super::csv::{csv, optional};
use super::numbers::{interval, percent};
use super::over_time::growth_of;
use super::table::{grid, render};
use crate::{Call, Judgement, Quantity};

/// A block of lines for each case, and for each record where there are several.
pub fn judgements_text(rows: &[Judgement], screen: &Screen) -> String {
    let several = rows.iter().any(|row| row.record != rows[0].record);
    let groups: Vec<&[Judgement]> = rows.chunk_by(|a, b| (&a.record, a.case()) == (&b.record, b.case())).collect();
    let fits = groups.iter().all(|group| screen.fits(wide(group).width()));
    let layout = if fits { wide } else { stacked };
    let mut lines = Vec::new();
    for group in groups {
        let mut heading = group[0].case().to_string();
        if several {
            heading = format!("{heading} in {}", group[0].record);
        }
        lines.extend(wrapped(&heading, 0, screen).iter().map(|line| Tone::Heading.paint(line, screen)));
        lines.extend(layout(group).lines(screen));
        let failed = |row: &&Judgement| row.verdict.is_none();
        // One line for each contender, not for each of its metrics.
        for same in group.chunk_by(|a, b| a.contender == b.contender).filter_map(|rows| rows.iter().find(failed)) {
            lines.extend(wrapped(&format!("{}: {}", same.contender, same.status), 2, screen));
        }
        let distrusted: Vec<String> = group
            .chunk_by(|a, b| a.contender == b.contender)
            .next()
            .unwrap_or_default()
            .iter()
            .filter(|row| row.distrusted)
            .map(|row| row.metric.to_string())
            .collect();
        if !distrusted.is_empty() {
            let note = format!("the twin was called different: nothing is called on {}", distrusted.join(", "));
            lines.extend(wrapped(&note, 2, screen));
        }
        for note in group.chunk_by(|a, b| a.contender == b.contender).filter_map(trade_off) {
            lines.extend(wrapped(&note, 2, screen));
        }
        for row in group.iter().filter(|row| row.alarmed) {
            let (contender, metric) = (&row.contender, row.metric);
            let note = format!("{contender} was called different in a control: nothing is called on {metric}");
            lines.extend(wrapped(&note, 2, screen));
        }
        lines.push(String::new());
    }
    if let Some(row) = rows.first() {
        let mut legend = format!(
            "Ratios are to {}, with 95 % intervals: of throughput above 1 is more, of the others below 1 is less. The least \
             true difference that is found in four of five runs stands under detects, and the blocks that would settle what \
             is unclear under needed.",
            row.reference
        );
        if rows.iter().any(|row| row.metric == Quantity::Slope) {
            legend.push_str(" A slope is no ratio but growth in each turn, in per cent of the level.");
        }
        lines.extend(wrapped(&legend, 0, screen));
    }
    lines.join("\n")
}

/// The trade-off that a contender is, as far as these rows show both its sides; throughput is wall time turned over.
fn trade_off(rows: &[Judgement]) -> Option<String> {
    let called = rows.iter().filter(|row| row.metric != Quantity::Throughput).filter_map(|row| match row.verdict {
        Some(Call::Verdict(verdict)) if verdict.is_difference() => Some((verdict, row.metric)),
        _ => None,
    });
    let (better, worse): (Vec<_>, Vec<_>) = called.partition(|(verdict, _)| verdict.is_better());
    let words: Vec<String> =
        better.iter().chain(&worse).map(|(verdict, metric)| format!("{verdict} in {metric}")).collect();
    let is_both = rows.iter().any(|row| row.trade_off) && !better.is_empty() && !worse.is_empty();
    is_both.then(|| format!("{} is a trade-off: {}", rows[0].contender, words.join(", ")))
}

fn wide(rows: &[Judgement]) -> Columns {
    let mut columns = Columns::default();
    columns.push(headings("allocator"));
    for contender in rows.chunk_by(|a, b| a.contender == b.contender) {
        for (index, row) in contender.iter().enumerate() {
            let name = if index == 0 { row.contender.as_str() } else { "" };
            columns.push(std::iter::once(Cell::left(name)).chain(cells(row)).collect());
        }
    }
    columns
}

fn stacked(rows: &[Judgement]) -> Columns {
    let mut columns = Columns::default();
    columns.push(headings(""));
    for contender in rows.chunk_by(|a, b| a.contender == b.contender) {
        columns.push_line(Cell::left(&contender[0].contender));
        for row in contender {
            columns.push(std::iter::once(Cell::left("")).chain(cells(row)).collect());
        }
    }
    columns
}

fn headings(first: &str) -> Vec<Cell> {
    let left = [first, "metric"].map(Cell::left);
    let cells = left.into_iter().chain([
        Cell::right("ratio"),
        Cell::left("verdict"),
        Cell::right("detects"),
        Cell::right("blocks"),
        Cell::right("needed"),
    ]);
    cells.map(|cell| cell.in_tone(Tone::Heading)).collect()
}

fn cells(row: &Judgement) -> [Cell; 6] {
    let [metric, ratio, verdict, mde, blocks, needed] = words(row);
    [
        Cell::left(metric),
        Cell::right(ratio),
        Cell::verdict(verdict),
        Cell::right(mde),
        Cell::right(blocks),
        Cell::right(needed),
    ]
}

/// Metric, ratio, verdict, least detectable difference, blocks, blocks that would settle it.
fn words(row: &Judgement) -> [String; 6] {
    let or_absent = |text: Option<String>| text.unwrap_or_else(|| "n/a".into());
    let is_unclear = row.verdict.is_some_and(Call::is_unclear);
    let needed = match row.blocks_needed {
        _ if !is_unclear || row.distrusted || row.alarmed || row.ratio.is_none() => String::new(),
        Some(blocks) => blocks.to_string(),
        None => "none would do".into(),
    };
    [
        row.metric.to_string() + if row.uneven { " (uneven)" } else { "" },
        or_absent(match row.metric {
            Quantity::Slope => row.value.map(|value| growth_of(value, row.low.zip(row.high))),
            _ => row.estimate().map(interval),
        }),
        row.verdict_word(),
        or_absent(row.mde.map(percent)),
        row.blocks.to_string(),
        needed,
    ]
}

/// One table, for a Markdown document.
pub fn judgements_markdown(rows: &[Judgement]) -> String {
    let several = rows.iter().any(|row| row.record != rows[0].record);
    let mut table = grid(Style::Markdown);
    let names = ["workload", "allocator", "reference", "metric", "ratio", "verdict", "detects", "blocks", "needed"];
    table.set_header(names.into_iter().chain(several.then_some("record")));
    for row in rows {
        let mut cells = vec![row.case().to_string(), row.contender.clone(), row.reference.clone()];
        cells.extend(words(row));
        cells.extend(several.then(|| row.record.clone()));
        if row.verdict.is_none() {
            cells[5] = format!("error: {}", row.status.label());
        }
        table.add_row(cells.iter().map(|cell| super::table::escaped(cell)));
    }
    render(&table)
}

/// A line for each row under a line of names.
pub fn judgements_csv(rows: &[Judgement]) -> String {
    let names = [
        "record",
        "workload",
        "parameters",
        "contender",
        "reference",
        "metric",
        "value",
        "reference_value",
        "ratio",
        "low",
        "high",
        "blocks",
        "verdict",
        "mde",
        "uneven",
        "distrusted",
        "alarmed",
        "trade_off",
        "blocks_needed",
        "sign_flip_p",
        "t_low",
        "t_high",
        "status",
        "detail",
    ];
    let line = |row: &Judgement| {
        let checks = row.cross_checks;
        let t_interval = checks.and_then(|checks| checks.t_interval);
        let case = row.case();
        [
            row.record.clone(),
            row.workload.clone(),
            super::csv::parameters(&case),
            row.contender.clone(),
            row.reference.clone(),
            row.metric.to_string(),
            optional(row.value),
            optional(row.reference_value),
            optional(row.ratio),
            optional(row.low),
            optional(row.high),
            row.blocks.to_string(),
            row.verdict_word(),
            optional(row.mde),
            row.uneven.to_string(),
            row.distrusted.to_string(),
            row.alarmed.to_string(),
            row.trade_off.to_string(),
            optional(row.blocks_needed),
            optional(checks.and_then(|checks| checks.sign_flip_p)),
            optional(t_interval.map(|(low, _)| low)),
            optional(t_interval.map(|(_, high)| high)),
            row.status.label(),
            row.status.detail().to_owned(),
        ]
    };
    csv(&names, rows.iter().map(line))
}

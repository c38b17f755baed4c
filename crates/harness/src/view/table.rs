//! The table of workloads and contenders, for terminals and for Markdown.

use comfy_table::presets::{ASCII_MARKDOWN, NOTHING};
use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::numbers::{interval, percent};
use super::{over_time, requests};
use crate::outcome::{Alarm, CaseOutcome, Compared, ContenderOutcome, IDLE_CPU_LIMIT, Metric, Outcome, TimeVerdict};
use crate::stats::{Estimate, Verdict};

/// What the table is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A terminal: columns of text.
    Text,
    /// A Markdown document: a pipe table.
    Markdown,
}

/// The table: a row for each workload and contender, with throughput, CPU time and peak memory as ratios to the reference with
/// 95 % intervals, and the verdicts. A contender that failed has its status there.
pub fn table(outcome: &Outcome, style: Style) -> String {
    let mut table = grid(style);
    let [work, cpu, rss] = ["work/s", "CPU", "RSS"].map(|what| format!("{what} ÷ {}", outcome.reference));
    table.set_header(["workload", "allocator", "throughput", &work, &cpu, "time", "peak RSS", &rss, "memory"]);
    for column in [2, 3, 4, 6, 7] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for case in &outcome.cases {
        for (index, contender) in case.contenders.iter().enumerate() {
            let repeat = index == 0 || style == Style::Markdown;
            let name = if repeat { case.case.to_string() } else { String::new() };
            let cells = row(name, contender, &outcome.reference);
            table.add_row(cells.iter().map(|cell| if style == Style::Markdown { escaped(cell) } else { cell.clone() }));
        }
    }
    render(&table)
}

/// An empty table in this style, as wide as its content.
pub(super) fn grid(style: Style) -> Table {
    let mut table = Table::new();
    table.load_style(if style == Style::Text { NOTHING } else { ASCII_MARKDOWN });
    table.set_content_arrangement(ContentArrangement::Disabled);
    table
}

/// The table's text, without blanks at the ends of lines.
pub(super) fn render(table: &Table) -> String {
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// A cell of a pipe table: a name may hold anything.
pub(super) fn escaped(cell: &str) -> String {
    cell.replace('\\', "\\\\").replace('|', "\\|").replace(['\n', '\r'], " ")
}

fn row(name: String, contender: &ContenderOutcome, reference: &str) -> Vec<String> {
    let mut row = vec![name, contender.name.clone()];
    if !contender.status.is_ok() {
        row.extend(["–", "–", "–"].map(Into::into));
        row.extend([contender.status.label(), "–".into(), "–".into(), String::new()]);
        return row;
    }
    let is_reference = contender.name == reference;
    let or_absent = |text: Option<String>| text.unwrap_or_else(|| "n/a".into());
    let ratio = |compared: Option<Estimate>| if is_reference { "1".into() } else { or_absent(compared.map(interval)) };
    let verdict = |text: Option<String>| if is_reference { String::new() } else { or_absent(text) };
    row.push(or_absent(contender.throughput.map(|value| value.to_string())));
    row.push(ratio(contender.wall.map(|wall| wall.estimate.inverted())));
    row.push(ratio(contender.cpu.map(|cpu| cpu.estimate)));
    let uneven = contender.cpu.is_some_and(|cpu| cpu.uneven);
    row.push(verdict(contender.time().map(|time| time_verdict(time) + if uneven { ", uneven" } else { "" })));
    row.push(or_absent(contender.peak_rss.map(|value| value.to_string())));
    row.push(ratio(contender.memory.map(|memory| memory.estimate)));
    row.push(verdict(contender.memory.map(|memory| memory.verdict.to_string())));
    row
}

fn time_verdict(verdict: TimeVerdict) -> String {
    match verdict {
        TimeVerdict::Cpu(verdict) => verdict.to_string(),
        TimeVerdict::Wall(verdict) => format!("{verdict} (wall)"),
        TimeVerdict::TradeOff { cpu, wall } => format!("trade-off: CPU {cpu}, wall {wall}"),
    }
}

/// What must stand below the table: the twin of each case, what could have been found, what would settle what is unclear,
/// CPU time used behind the workload's back, and every failure in full.
pub fn notes(outcome: &Outcome) -> Vec<String> {
    let of_case =
        |case: &CaseOutcome| case_notes(case).into_iter().map(|note| format!("{}: {note}", case.case)).collect();
    let mut notes = alarms(outcome);
    notes.extend(outcome.cases.iter().flat_map(|case| -> Vec<String> { of_case(case) }));
    for (case, contender, status) in outcome.failures() {
        notes.push(format!("{contender} in {case}: {status}"));
    }
    notes.extend(no_control(outcome));
    notes
}

/// What has to be said where nothing was measured in which allocators cannot differ.
pub(super) fn no_control(outcome: &Outcome) -> Option<String> {
    let lacks_one = !outcome.cases.is_empty() && !outcome.cases.iter().any(|case| case.case.is_control());
    lacks_one.then(|| {
        "No control took part, so nothing here says what the machine or the programs do to work without an allocator: `heapmark \
         run --set default --set control` measures some beside the default set."
            .into()
    })
}

/// What the controls found: where nobody can differ, someone does. A line for each contender in each control.
pub(super) fn alarms(outcome: &Outcome) -> Vec<String> {
    let mut all: Vec<&Alarm> = outcome.alarms.iter().collect();
    all.sort_by_key(|alarm| (&alarm.case, &alarm.contender));
    let line = |same: &[&Alarm]| {
        let found: Vec<String> = same.iter().map(|alarm| format!("{} in {}", alarm.verdict, alarm.metric)).collect();
        let metrics: Vec<String> = same.iter().map(|alarm| alarm.metric.to_string()).collect();
        format!(
            "{}: compared with {}, {} is called {}, where no allocator can differ: its verdicts on {} are not to be trusted in this run, \
             and none is given",
            same[0].case,
            outcome.reference,
            same[0].contender,
            found.join(" and "),
            metrics.join(" and ")
        )
    };
    all.chunk_by(|a, b| (&a.case, &a.contender) == (&b.case, &b.contender)).map(line).collect()
}

/// What must stand below the rows of one case, but for failures.
pub(super) fn case_notes(case: &CaseOutcome) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(twin_note(case));
    notes.extend(trade_off_notes(case));
    for note in [uneven_note, idle_note] {
        notes.extend(case.contenders.iter().filter_map(note));
    }
    notes.extend(case.contenders.iter().filter_map(|contender| unclear_note(case, contender)));
    notes.extend(over_time::notes(case));
    notes.extend(requests::notes(case));
    if case.case.is_control() {
        notes.push(
            "a control: nobody may differ; peak RSS is compared above what each worker needed at its greeting".into(),
        );
    }
    notes
}

fn twin_note(case: &CaseOutcome) -> Option<String> {
    let original = case.twin_of.as_deref()?;
    let twin = case.twin.as_ref().filter(|twin| twin.status.is_ok())?;
    let part = |metric: Metric, compared: Option<Compared>| {
        let compared = compared?;
        let found = compared.minimum_detectable.map(|effect| format!(", detects {}", percent(effect)));
        let Estimate { ratio, .. } = compared.estimate;
        let distrusted = case.distrusted.contains(&metric);
        let trust = if distrusted { ", different: nothing is called on this metric" } else { "" };
        Some(format!("{metric} {ratio:.3}{}{trust}", found.unwrap_or_default()))
    };
    let parts = [Metric::Cpu, Metric::Wall, Metric::PeakRss, Metric::Retained];
    let parts = parts.map(|metric| part(metric, twin.compared(metric)));
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("{original} against itself: {}", parts.join("; ")))
}

fn unclear_note(case: &CaseOutcome, contender: &ContenderOutcome) -> Option<String> {
    let part = |metric: Metric, compared: Option<Compared>| {
        let compared = compared.filter(|compared| compared.verdict == Verdict::Unclear)?;
        if case.distrusted.contains(&metric) {
            return None;
        }
        Some(match compared.blocks_needed {
            Some(blocks) => format!("{metric} by about {blocks} blocks"),
            None => format!("{metric} by none, since it differs as much as the margin"),
        })
    };
    let parts = [part(Metric::Cpu, contender.cpu), part(Metric::PeakRss, contender.memory)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let name = &contender.name;
    (!parts.is_empty()).then(|| format!("{name} would be settled: {}", parts.join("; ")))
}

/// A line for each kind of trade-off, with those who are one.
fn trade_off_notes(case: &CaseOutcome) -> Vec<String> {
    let mut kinds: Vec<(String, Vec<&str>)> = Vec::new();
    for contender in &case.contenders {
        let Some(kind) = contender.trade_off().map(|trade_off| trade_off.to_string()) else { continue };
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, names)) => names.push(&contender.name),
            None => kinds.push((kind, vec![&contender.name])),
        }
    }
    kinds.into_iter().map(|(kind, names)| format!("trade-off, {kind}: {}", names.join(", "))).collect()
}

fn uneven_note(contender: &ContenderOutcome) -> Option<String> {
    contender.cpu.filter(|cpu| cpu.uneven)?;
    Some(format!(
        "{} is uneven: its cost lies in rare turns, so their sum decides, not the typical turn",
        contender.name
    ))
}

fn idle_note(contender: &ContenderOutcome) -> Option<String> {
    let share = contender.idle_cpu.filter(|share| *share > IDLE_CPU_LIMIT)?;
    let (name, more) = (&contender.name, percent(share));
    Some(format!("{name} used {more} more CPU time while it waited for its turns; it is counted"))
}

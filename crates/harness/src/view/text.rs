//! The outcome on a terminal: a block of lines for each workload, in the widest layout that fits.

use unicode_width::UnicodeWidthStr;

use super::columns::{Cell, Columns, Screen, Tone, wrapped};
use super::numbers::interval;
use super::table::{alarms, case_notes, no_control};
use super::{over_time, requests};
use crate::NanosPerUnit;
use crate::outcome::{CaseOutcome, ContenderOutcome, Outcome, TimeVerdict};
use crate::stats::Estimate;

/// For each workload its name, a row for each contender, and the notes that belong to it. Where a row does not fit, time and
/// memory stand below each other; where that does not fit either, each contender has lines of its own. No name is cut.
pub fn text(outcome: &Outcome, screen: &Screen) -> String {
    let blocks: Vec<Block<'_>> = outcome.cases.iter().map(|case| Block::new(case, &outcome.reference)).collect();
    let fits = |layout: &Layout| blocks.iter().all(|block| screen.fits(block.columns(*layout).width()));
    let layout = [Layout::Wide, Layout::Halves].into_iter().find(fits).unwrap_or(Layout::Stacked);
    let mut lines = Vec::new();
    for block in &blocks {
        let case = block.case;
        let heading = format!("{} (unit: {})", case.case, case.unit);
        lines.extend(wrapped(&heading, 0, screen).iter().map(|line| Tone::Heading.paint(line, screen)));
        lines.extend(block.columns(layout).lines(screen));
        lines.extend(over_time::lines(case, screen));
        lines.extend(requests::lines(case, screen));
        for note in case_notes(case).into_iter().chain(failures(case)) {
            lines.extend(wrapped(&note, 2, screen));
        }
        lines.push(String::new());
    }
    for alarm in alarms(outcome) {
        lines.extend(wrapped(&alarm, 0, screen).iter().map(|line| Tone::Failed.paint(line, screen)));
    }
    lines.extend(wrapped(&legend(outcome), 0, screen));
    lines.extend(no_control(outcome).into_iter().flat_map(|note| wrapped(&note, 0, screen)));
    if outcome.cases.iter().any(CaseOutcome::is_over_time) {
        lines.extend(wrapped(&over_time::legend(), 0, screen));
    }
    if outcome.cases.iter().any(CaseOutcome::is_served) {
        lines.extend(wrapped(requests::legend(), 0, screen));
    }
    lines.join("\n")
}

fn legend(outcome: &Outcome) -> String {
    format!(
        "Ratios are to {}, with 95 % intervals: of CPU time, of wall time where it says (wall), and of peak RSS; below 1 is \
         less. Verdicts go by a margin of {} %.",
        outcome.reference,
        outcome.margin * 100.0
    )
}

fn failures(case: &CaseOutcome) -> Vec<String> {
    let all = case.contenders.iter().chain(&case.twin).filter(|contender| !contender.status.is_ok());
    all.map(|contender| format!("{}: {}", contender.name, contender.status)).collect()
}

/// The cells of one contender.
struct Row<'a> {
    name: &'a str,
    /// What stands in its place, if it failed.
    failure: Option<String>,
    throughput: String,
    cpu: String,
    time_ratio: String,
    time: String,
    peak: String,
    memory_ratio: String,
    memory: String,
}

/// How the rows of a block are laid out, from the widest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// A line for each contender.
    Wide,
    /// First everyone's time, then everyone's memory.
    Halves,
    /// Lines of its own for each contender, below its name.
    Stacked,
}

/// The longest name of a reference that stands in headings: not wider than the ratios below, such as `1.025 [1.020, 1.030]`.
const LONGEST_REFERENCE: usize = 14;

struct Block<'a> {
    case: &'a CaseOutcome,
    /// What the contenders are compared with.
    reference: &'a str,
    rows: Vec<Row<'a>>,
}

impl<'a> Block<'a> {
    fn new(case: &'a CaseOutcome, reference: &'a str) -> Self {
        let rows = case.contenders.iter().map(|contender| Row::new(contender, reference)).collect();
        // A name that is longer than what stands below would push the columns apart.
        let reference = if reference.width() > LONGEST_REFERENCE { "reference" } else { reference };
        Self { case, reference, rows }
    }

    /// The heading of a column of ratios to the reference; that of time says which, since throughput stands beside it.
    fn ratio(&self, what: &str) -> String {
        format!(">{what} ÷ {}", self.reference)
    }

    fn columns(&self, layout: Layout) -> Columns {
        match layout {
            Layout::Wide => self.wide(),
            Layout::Halves => self.halves(),
            Layout::Stacked => self.stacked(),
        }
    }

    fn wide(&self) -> Columns {
        let mut columns = Columns::default();
        columns.push(heading(&[
            "allocator",
            ">throughput",
            ">CPU/unit",
            &self.ratio("CPU"),
            "time",
            ">peak RSS",
            &self.ratio("RSS"),
            "memory",
        ]));
        for row in &self.rows {
            let mut cells = vec![Cell::left(row.name)];
            cells.extend(row.time_cells());
            cells.extend(row.memory_cells());
            columns.push(cells);
        }
        columns
    }

    fn halves(&self) -> Columns {
        let mut columns = Columns::default();
        columns.push(heading(&["allocator", ">throughput", ">CPU/unit", &self.ratio("CPU"), "time"]));
        for row in &self.rows {
            columns.push(std::iter::once(Cell::left(row.name)).chain(row.time_cells()).collect());
        }
        columns.push(heading(&["", ">peak RSS", "", &self.ratio("RSS"), "memory"]));
        for row in self.rows.iter().filter(|row| row.failure.is_none()) {
            let [peak, ratio, verdict] = row.memory_cells();
            columns.push(vec![Cell::left(row.name), peak, Cell::left(""), ratio, verdict]);
        }
        columns
    }

    fn stacked(&self) -> Columns {
        let mut columns = Columns::default();
        for row in &self.rows {
            if let Some(failure) = &row.failure {
                columns.push_line(Cell::left(format!("{}: {failure}", row.name)).in_tone(Tone::Failed));
                continue;
            }
            columns.push_line(Cell::left(row.name));
            columns.push(vec![Cell::left(""), Cell::left("throughput"), Cell::right(&row.throughput)]);
            let line = |what: &str, [value, ratio, verdict]: [Cell; 3]| {
                vec![Cell::left(""), Cell::left(what), value, ratio, verdict]
            };
            let [_, cpu, ratio, verdict] = row.time_cells();
            columns.push(line("CPU/unit", [cpu, ratio, verdict]));
            columns.push(line("peak RSS", row.memory_cells()));
        }
        columns
    }
}

/// Headings; those of numbers are marked by `>`.
fn heading(names: &[&str]) -> Vec<Cell> {
    let cell = |name: &&str| match name.strip_prefix('>') {
        Some(name) => Cell::right(name),
        None => Cell::left(*name),
    };
    names.iter().map(cell).map(|cell| cell.in_tone(Tone::Heading)).collect()
}

impl<'a> Row<'a> {
    fn new(contender: &'a ContenderOutcome, reference: &str) -> Self {
        let is_reference = contender.name == reference;
        let or_absent = |text: Option<String>| text.unwrap_or_else(|| "n/a".into());
        let ratio =
            |estimate: Option<Estimate>| if is_reference { "1".into() } else { or_absent(estimate.map(interval)) };
        let verdict = |text: Option<String>| if is_reference { String::new() } else { or_absent(text) };
        let time = contender.time();
        let deciding = match time {
            Some(TimeVerdict::Wall(_)) => contender.wall,
            _ => contender.cpu,
        };
        Self {
            name: &contender.name,
            failure: (!contender.status.is_ok()).then(|| contender.status.label()),
            throughput: or_absent(contender.throughput.map(|value| value.to_string())),
            cpu: or_absent(contender.cpu_per_unit_ns.map(|value| NanosPerUnit(value).to_string())),
            time_ratio: ratio(deciding.map(|compared| compared.estimate)),
            time: verdict(time.map(time_verdict)),
            peak: or_absent(contender.peak_rss.map(|value| value.to_string())),
            memory_ratio: ratio(contender.memory.map(|memory| memory.estimate)),
            memory: verdict(contender.memory.map(|memory| memory.verdict.to_string())),
        }
    }

    fn time_cells(&self) -> [Cell; 4] {
        if let Some(failure) = &self.failure {
            let absent = || Cell::right("–");
            return [absent(), absent(), absent(), Cell::left(failure).in_tone(Tone::Failed)];
        }
        [
            Cell::right(&self.throughput),
            Cell::right(&self.cpu),
            Cell::right(&self.time_ratio),
            Cell::verdict(&self.time),
        ]
    }

    fn memory_cells(&self) -> [Cell; 3] {
        if self.failure.is_some() {
            return [Cell::right("–"), Cell::right("–"), Cell::left("")];
        }
        [Cell::right(&self.peak), Cell::right(&self.memory_ratio), Cell::verdict(&self.memory)]
    }
}

/// In a word; what a trade-off is made of stands in a note.
fn time_verdict(verdict: TimeVerdict) -> String {
    match verdict {
        TimeVerdict::Cpu(verdict) => verdict.to_string(),
        TimeVerdict::Wall(verdict) => format!("{verdict} (wall)"),
        TimeVerdict::TradeOff { .. } => "trade-off".into(),
    }
}

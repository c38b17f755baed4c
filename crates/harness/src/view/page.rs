//! A record as a page in Markdown.

use std::fmt::Write;

use super::{Screen, Style, contenders, notes, over_time, requests, scaling_markdown, sensitivity_markdown, table};
use crate::outcome::{CaseOutcome, Outcome};
use crate::record::{BlockRow, CaseRow, ContenderRow, Record, Role, RunRow, Sample};
use crate::stats::median;
use crate::{Arrangement, Bytes, Nanos, Scaling, Sensitivity};

/// The page: verdicts first, then what they rest on. `outcome` is what to say of the record, and `command` the command that
/// makes the page again, as code in Markdown.
pub fn page(record: &Record, outcome: &Outcome, command: &str) -> String {
    let mut page = String::from("# Which allocator is faster, which is leaner\n\n");
    // Writing to a string cannot fail.
    let _ = writeln!(page, "This page is generated: {command}.\n");
    if record.end.is_none() {
        page.push_str("**The run was interrupted; what it had measured is here.**\n\n");
    }
    let _ = writeln!(page, "{}\n", table(outcome, Style::Markdown));
    let _ = writeln!(
        page,
        "work/s above 1 is more work per second of wall time than {0} does; CPU below 1 is less CPU time for the same work; RSS \
         above 1 is more memory. Brackets hold 95 % intervals. A verdict is given where the interval lies wholly beyond the \
         margin of {1} %, or wholly inside it (same). The time verdict goes by CPU time, and by wall time where CPU time does \
         not decide.\n",
        outcome.reference,
        outcome.margin * 100.0
    );
    if let Some(table) = over_time::table(outcome) {
        let _ = writeln!(page, "## Memory over time\n\n{table}\n\n{}\n", over_time::legend());
    }
    if let Some(table) = requests::table(outcome) {
        let _ = writeln!(page, "## Requests\n\n{table}\n\n{}\n", requests::legend());
    }
    if let Some(text) = scaling_markdown(&Scaling::of(record, outcome)) {
        let _ = writeln!(page, "## Scaling\n\n{text}\n");
    }
    if let [_, _, ..] = outcome.cases.as_slice()
        && let Some(text) = sensitivity_markdown(&Sensitivity::of(record, outcome))
    {
        let _ = writeln!(page, "## What each workload gains from its allocator\n\n{text}\n");
    }
    section(&mut page, "Control: the reference against itself, and failures", &notes(outcome));
    let counts: Vec<String> = outcome.cases.iter().filter_map(counted).collect();
    section(&mut page, "What the workloads ask for, exactly", &counts);
    let _ =
        writeln!(page, "## Contenders\n\n{}\n", contenders(&record.contenders, Style::Markdown, &Screen::default()));
    let shown = |row: &&CaseRow| outcome.cases.iter().any(|case| case.case == row.case);
    let work: Vec<String> = record
        .cases
        .iter()
        .filter(shown)
        .map(|row| {
            let parameters: Vec<String> = row.parameters_in_force.iter().map(|(k, v)| format!("{k}={v}")).collect();
            let (case, unit, parameters) = (&row.case, &row.unit, parameters.join(" "));
            format!("{case}: turns of {} × {unit}, {} on the reference; {parameters}", row.turn_units, row.turn)
        })
        .collect();
    section(&mut page, "Work", &work);
    section(&mut page, "Time outside the turns, medians", &overheads(record, &shown));
    section(&mut page, "Resident memory of the idle workers", &idle_workers(record));
    if let Some(run) = &record.run {
        section(&mut page, "Machine and settings", &facts(run));
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn section(page: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(page, "## {title}\n");
    for line in lines {
        let _ = writeln!(page, "- {line}");
    }
    page.push('\n');
}

/// What the counting backend saw, per unit.
fn counted(case: &CaseOutcome) -> Option<String> {
    let counts = case.counts.as_ref().filter(|counts| counts.status.is_ok() && counts.units > 0)?;
    let per_unit = |total: u64| total as f64 / counts.units as f64;
    let live = counts.peak_live.map_or("n/a".into(), |live| live.to_string());
    Some(format!(
        "{}: {:.0} calls (to obtain, resize or give back memory) and {:.0} bytes requested per {}; {live} live at the peak",
        case.case,
        per_unit(counts.calls),
        per_unit(counts.requested.0),
        case.unit
    ))
}

/// What a sample costs besides its timed turns.
fn overheads(record: &Record, shown: &dyn Fn(&&CaseRow) -> bool) -> Vec<String> {
    let of_case = |row: &CaseRow| {
        let samples: Vec<&Sample> = record.samples_of(&row.case).filter(|s| s.status.is_ok()).collect();
        let middle = |value: fn(&Sample) -> f64| median(&samples.iter().map(|s| value(s)).collect::<Vec<_>>());
        let millis = |value: fn(&Sample) -> u64| {
            let mut values: Vec<u64> = samples.iter().map(|s| value(s)).collect();
            values.sort_unstable();
            values.get(values.len() / 2).copied().map(Nanos)
        };
        Some(
            format!(
                "{}: start {}, prepare {}, finish {}; protocol {:.2} % of the turns' wall time, idle CPU {:.2} % of their CPU time",
                row.case,
                millis(|s| s.start_ns)?,
                millis(|s| s.prepare_ns)?,
                millis(|s| s.finish_ns)?,
                100.0 * middle(|s| s.exchange_ns as f64 / s.wall_ns.max(1) as f64)?,
                100.0 * middle(|s| s.idle_cpu_ns as f64 / s.cpu().0.max(1) as f64)?,
            ) + &timed_share(record, |block| block.case == row.case)
                .map_or_else(String::new, |share| format!("; {share}")),
        )
    };
    let whole = timed_share(record, |_| true).map(|share| format!("all workloads together: {share}"));
    record.cases.iter().filter(shown).filter_map(of_case).chain(whole).collect()
}

/// How much of the wall time of the blocks that measure time was spent inside timed turns.
fn timed_share(record: &Record, of: impl Fn(&BlockRow) -> bool) -> Option<String> {
    let blocks = || record.blocks.iter().filter(|row| row.arrangement == Arrangement::Turns && of(row));
    let (timed, wall) =
        blocks().fold((0.0, 0.0), |(timed, wall), row| (timed + row.timed_ns as f64, wall + row.wall_ns as f64));
    (wall > 0.0).then(|| {
        format!("{:.1} % of the wall time of {} blocks is timed turns", 100.0 * timed / wall, blocks().count())
    })
}

/// What a worker needs before it does anything.
fn idle_workers(record: &Record) -> Vec<String> {
    let idle = |row: &ContenderRow| Some(format!("{}: {}", row.name, row.identity.as_ref()?.start_rss?));
    record.contenders.iter().filter(|row| row.role != Role::Twin).filter_map(idle).collect()
}

fn facts(run: &RunRow) -> Vec<String> {
    let or_absent = |value: &Option<String>| value.clone().unwrap_or_else(|| "n/a".into());
    let machine = &run.machine;
    let size = |bytes: Option<Bytes>| bytes.map_or("n/a".into(), |bytes| bytes.to_string());
    let settings = &run.settings;
    vec![
        format!(
            "{}, {} cores, {}, {} on {}, virtualisation {}",
            or_absent(&machine.cpu),
            machine.cores.map_or("n/a".into(), |cores| cores.to_string()),
            size(machine.memory),
            or_absent(&machine.kernel),
            machine.architecture,
            or_absent(&machine.virtualisation)
        ),
        format!("transparent huge pages {}, governor {}", or_absent(&machine.thp), or_absent(&machine.governor)),
        format!(
            "{}, at least {} turns of about {} a sample, {} alone; margin {} %, seed {}",
            settings.stop,
            settings.turns,
            settings.turn,
            settings.turns_alone,
            settings.margin * 100.0,
            settings.seed
        ),
        format!(
            "heapmark {}, revision {}, {}",
            run.tool.version,
            or_absent(&run.tool.revision),
            or_absent(&run.tool.rustc)
        ),
    ]
}

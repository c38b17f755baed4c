//! The page that says what was reported, what was measured, and whether they agree.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::claim::{Agreement, Held};
use crate::measure::typed;
use crate::records::Records;
use crate::reports::{Check, Level, Report, Runs};

/// A report and its claims, held against the records.
pub(crate) struct HeldReport<'a> {
    /// The report.
    pub(crate) report: &'a Report,
    /// Its claims.
    pub(crate) claims: Vec<Held<'a>>,
}

impl HeldReport<'_> {
    /// The claims that must hold and do not, a line each.
    pub(crate) fn broken(&self) -> Vec<String> {
        let must = |held: &&Held<'_>| matches!(held.claim.level, Level::Must | Level::Nothing);
        let broken = self.claims.iter().filter(must).filter(|held| held.agreement == Agreement::No);
        broken.map(|held| format!("{}: {}: {}", self.report.id, held.claim.says, held.came_out)).collect()
    }

    fn runs(&self) -> Vec<&str> {
        let mut runs: Vec<&str> = self.claims.iter().filter_map(|held| run_of(&held.claim.check)).collect();
        runs.dedup();
        runs
    }

    fn count(&self, agreement: Agreement) -> usize {
        self.claims.iter().filter(|held| held.agreement == agreement).count()
    }
}

fn run_of(check: &Check) -> Option<&str> {
    match check {
        Check::Bound(bound) => Some(&bound.run),
        Check::Alike(alike) => Some(&alike.run),
        Check::Twin(twin) => Some(&twin.run),
        Check::Trend(trend) => Some(&trend.run),
        Check::Test(_) => None,
    }
}

/// The whole page.
pub(crate) fn page(runs: &Runs, records: &Records, held: &[HeldReport<'_>]) -> String {
    let mut page = String::from(HEAD);
    _ = writeln!(page, "\n## Summary\n\n{}", summary(held));
    for report in held {
        _ = writeln!(page, "{}", section(report));
    }
    _ = writeln!(page, "## The runs\n\n{}", commands(runs, held));
    if let Some(machine) = records.any().and_then(|record| record.run.as_ref()).map(|run| &run.machine) {
        let cores = machine.cores.map(|cores| format!("{cores} cores"));
        let memory = machine.memory.map(|memory| memory.to_string());
        let known = [machine.cpu.clone(), cores, memory, machine.kernel.clone()];
        _ = writeln!(page, "Recorded on {}.", known.into_iter().flatten().collect::<Vec<_>>().join(", "));
    }
    page
}

const HEAD: &str = "# Field reports

What people reported who compared or changed allocators, what of it is measured here, and whether it agrees. This page is
generated from the records: `cargo run --release -p heapmark-field-reports -- page`; a test holds it against them.

Each report is turned into claims. **must**: it holds for every allocator, or the harness is wrong. **nothing**: there is no difference, and
none may be called. **direction**: what the reports show on their machines, with their versions; it may come out otherwise here, and then the note says
why. **version**: the same, for the versions that are named. A claim agrees where the whole 95 % interval lies on its side of the bound; *unclear* is an
interval on both sides. No bound was moved after a run.
";

fn summary(held: &[HeldReport<'_>]) -> String {
    let mut table =
        String::from("| report | about | agree | unclear | do not | held by tests |\n|---|---|--:|--:|--:|--:|\n");
    let mut totals = BTreeMap::new();
    let all = [Agreement::Yes, Agreement::Unclear, Agreement::No, Agreement::Tested];
    for report in held {
        let counts = all.map(|agreement| report.count(agreement));
        for (index, count) in counts.iter().enumerate() {
            *totals.entry(index).or_insert(0) += count;
        }
        let [yes, unclear, no, tested] = counts.map(|count| if count == 0 { String::new() } else { count.to_string() });
        let about = &report.report.title;
        let id = &report.report.id;
        match report.report.not_here {
            Some(_) => _ = writeln!(table, "| {id} | {about} | not measured here | | | {tested} |"),
            None => _ = writeln!(table, "| {id} | {about} | {yes} | {unclear} | {no} | {tested} |"),
        }
    }
    let total = |index| totals.get(&index).copied().unwrap_or(0);
    _ = writeln!(table, "| | **together** | {} | {} | {} | {} |", total(0), total(1), total(2), total(3));
    table
}

fn section(held: &HeldReport<'_>) -> String {
    let report = held.report;
    let mut text = format!("## {}: {}\n\n{}\n({})\n", report.id, report.title, report.said, report.sources.join(", "));
    if let Some(reason) = &report.not_here {
        _ = writeln!(text, "\nNot measured here: {reason}");
    }
    if !held.claims.is_empty() {
        _ = writeln!(text, "\n| | claim | came out | agrees |\n|---|---|---|---|");
        for claim in &held.claims {
            _ = writeln!(
                text,
                "| {} | {} | {} | {} |",
                level(claim.claim.level),
                claim.claim.says,
                claim.came_out.replace('|', "\\|"),
                agreement(claim.agreement)
            );
        }
    }
    let runs = held.runs();
    if !runs.is_empty() {
        let links: Vec<String> = runs.iter().map(|run| format!("[{run}](#{run})")).collect();
        _ = writeln!(text, "\nFrom {}.", links.join(", "));
    }
    if let Some(note) = &report.note {
        _ = writeln!(text, "\n{note}");
    }
    text
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Must => "must",
        Level::Direction => "direction",
        Level::Version => "version",
        Level::Nothing => "nothing",
    }
}

fn agreement(agreement: Agreement) -> &'static str {
    match agreement {
        Agreement::Yes => "yes",
        Agreement::Unclear => "unclear",
        Agreement::No => "**no**",
        Agreement::Tested => "tested",
    }
}

/// How each run is made again, and which reports are held against it.
fn commands(runs: &Runs, held: &[HeldReport<'_>]) -> String {
    let mut text =
        String::from("`field-reports measure RUN` does the same and puts the record where this page takes it from.\n");
    for (name, run) in &runs.0 {
        let users = held.iter().filter(|report| report.runs().contains(&name.as_str()));
        let users: Vec<&str> = users.map(|report| report.report.id.as_str()).collect();
        _ = writeln!(text, "\n### {name}\n\nFor {}.", users.join(", "));
        if let Some(before) = &run.before {
            _ = writeln!(text, "Before it: {before}");
        }
        _ = writeln!(text, "\n```sh\n{}\n```", typed(run));
    }
    text
}

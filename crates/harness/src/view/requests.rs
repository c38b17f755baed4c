//! What requests came to: a table for each workload that serves some, and in full, with all percentiles.

use super::Style;
use super::columns::{Screen, Tone, wrapped};
use super::csv::{csv, parameters};
use super::figures::{Figures, Heading, pipe_table};
use super::numbers::percent;
use super::table::{escaped, grid, render};
use crate::outcome::{CaseOutcome, ContenderOutcome, Outcome};
use crate::served::Served;
use crate::stats::Level;
use crate::{Bytes, NanosPerUnit, UnitsPerSecond};

/// The lines of one case; none where it is not about requests. What does not fit into one table is two: what was served at
/// what cost, and how long it took.
pub(super) fn lines(case: &CaseOutcome, screen: &Screen) -> Vec<String> {
    let summary = summary(case);
    if screen.fits(summary.width()) {
        return summary.lines(screen);
    }
    let (served, mut latency) = summary.split(SERVED);
    latency.title = "latency".into();
    [served, latency].iter().flat_map(|figures| figures.lines(screen)).collect()
}

/// A pipe table of all cases that are about requests; nothing where none is.
pub(super) fn table(outcome: &Outcome) -> Option<String> {
    let figures: Vec<(Vec<String>, Figures)> =
        outcome.cases.iter().map(|case| (vec![case.case.to_string()], summary(case))).collect();
    pipe_table(&["workload", "allocator"], &figures)
}

/// What the columns mean.
pub(super) fn legend() -> &'static str {
    "Requests are counted by wall time, and by CPU time of the server, whose user and system time stand for each request; received \
     is what came back from it. Latency is that of requests answered as expected: of each sample one figure, and of these the \
     median over the blocks. At a fixed rate it counts from when a request was due; in a closed loop, whose clients wait for an \
     answer before they ask again, from when it was sent, which hides stalls of the server."
}

/// What has to be known to read the figures of a case: failed requests by kind.
pub(super) fn notes(case: &CaseOutcome) -> Vec<String> {
    let failed = |contender: &ContenderOutcome| {
        let served = contender.served.as_ref()?;
        let kinds = served.errors.kinds().into_iter().filter(|(_, count)| *count > 0);
        let kinds: Vec<String> = kinds.map(|(kind, count)| format!("{count} {kind}")).collect();
        let (name, failed, all) = (&contender.name, served.errors.total(), served.count);
        (!kinds.is_empty()).then(|| format!("{name}: {failed} of {all} requests failed: {}", kinds.join(", ")))
    };
    case.contenders.iter().filter_map(failed).collect()
}

fn served(case: &CaseOutcome) -> impl Iterator<Item = (&str, &Served)> {
    case.contenders.iter().filter_map(|contender| Some((contender.name.as_str(), contender.served.as_ref()?)))
}

/// How many figures of the summary are about what was served; the others are latencies.
const SERVED: usize = 6;

fn summary(case: &CaseOutcome) -> Figures {
    let headings = [
        "requests/s",
        "per CPU s",
        "user",
        "system",
        "received",
        "errors",
        "min",
        "mean",
        "sd",
        "median",
        "p90",
        "p99",
        "max",
    ];
    let row = |(name, served): (&str, &Served)| {
        let latency = &served.latency;
        let value = |level: Option<Level>, show: fn(f64) -> String| {
            level.map_or_else(|| "n/a".into(), |level| show(level.value))
        };
        let mut values = vec![
            value(served.per_second, rate),
            value(served.per_cpu_second, rate),
            value(served.user_ns, time),
            value(served.system_ns, time),
            value(served.received_per_second, transfer),
            errors(served),
        ];
        let times = [latency.min, latency.mean, latency.sd, latency.p50, latency.p90, latency.p99, latency.max];
        values.extend(times.map(|level| value(level, time)));
        (name.to_owned(), values)
    };
    Figures {
        title: "requests".into(),
        headings: headings.map(Heading::number).into(),
        rows: served(case).map(row).collect(),
    }
}

fn rate(per_second: f64) -> String {
    UnitsPerSecond(per_second).to_string()
}

fn time(ns: f64) -> String {
    NanosPerUnit(ns).to_string()
}

fn transfer(per_second: f64) -> String {
    // Beyond what there are numbers for, the greatest will do.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate is not negative")]
    let bytes = Bytes(per_second as u64);
    format!("{bytes}/s")
}

fn errors(served: &Served) -> String {
    match served.error_rate() {
        None => "n/a".into(),
        Some(0.0) => "0 %".into(),
        Some(rate) if rate < 0.001 => "< 0.1 %".into(),
        Some(rate) => percent(rate),
    }
}

/// With its interval: `12.3 ms [12.1 ms, 12.9 ms]`.
fn with_interval(level: Option<Level>, show: fn(f64) -> String) -> String {
    match level.map(|level| (level.value, level.interval())) {
        None => "n/a".into(),
        Some((value, None)) => show(value),
        Some((value, Some((low, high)))) => format!("{} [{}, {}]", show(value), show(low), show(high)),
    }
}

/// What each figure of the full view is called, and what it is of a contender.
fn in_full(served: &Served) -> Vec<(String, String)> {
    let latency = &served.latency;
    let mut figures: Vec<(&str, String)> = vec![
        ("requests", served.count.to_string()),
        ("connections", served.connections.to_string()),
        ("loop", if served.open_loop { "open: from when due" } else { "closed: from when sent" }.to_owned()),
        ("errors", errors(served)),
        ("requests/s", with_interval(served.per_second, rate)),
        ("requests/CPU s", with_interval(served.per_cpu_second, rate)),
        ("user/request", with_interval(served.user_ns, time)),
        ("system/request", with_interval(served.system_ns, time)),
        ("client CPU/request", with_interval(served.client_ns, time)),
        ("received", with_interval(served.received_per_second, transfer)),
        ("min", with_interval(latency.min, time)),
        ("mean", with_interval(latency.mean, time)),
        ("sd", with_interval(latency.sd, time)),
    ];
    let percentiles = latency.percentiles().map(|(percent, level)| (percent, with_interval(level, time)));
    let mut all: Vec<(String, String)> = figures.drain(..).map(|(name, value)| (name.to_owned(), value)).collect();
    all.extend(percentiles.into_iter().map(|(percent, value)| (format!("{percent} % within"), value)));
    all
}

/// A figure on each line and a contender in each column, or the contenders below each other where that does not fit.
fn full(case: &CaseOutcome, screen: &Screen) -> Vec<String> {
    let contenders: Vec<(&str, Vec<(String, String)>)> =
        served(case).map(|(name, served)| (name, in_full(served))).collect();
    let Some((_, first)) = contenders.first() else { return Vec::new() };
    let rows = first.iter().enumerate().map(|(index, (figure, _))| {
        (figure.clone(), contenders.iter().map(|(_, figures)| figures[index].1.clone()).collect())
    });
    let headings = contenders.iter().map(|(name, _)| Heading::number(*name)).collect();
    let beside = Figures { title: String::new(), headings, rows: rows.collect() };
    if screen.width.is_none_or(|width| beside.width() <= width) {
        return beside.lines(screen);
    }
    let below = Figures {
        title: String::new(),
        headings: first.iter().map(|(figure, _)| Heading::number(figure.as_str())).collect(),
        rows: contenders
            .iter()
            .map(|(name, figures)| ((*name).to_owned(), figures.iter().map(|(_, value)| value.clone()).collect()))
            .collect(),
    };
    below.lines_below(screen)
}

/// The requests of each workload in full, on a terminal. Nothing where none is about requests.
pub fn requests_text(outcome: &Outcome, screen: &Screen) -> Option<String> {
    let mut lines = Vec::new();
    for case in outcome.cases.iter().filter(|case| case.is_served()) {
        let heading = format!("{} (unit: {})", case.case, case.unit);
        lines.extend(wrapped(&heading, 0, screen).iter().map(|line| Tone::Heading.paint(line, screen)));
        lines.extend(full(case, screen));
        for note in notes(case) {
            lines.extend(wrapped(&note, 2, screen));
        }
        lines.push(String::new());
    }
    if lines.is_empty() {
        return None;
    }
    lines.extend(wrapped(legend(), 0, screen));
    lines.extend(wrapped("Brackets hold 95 % intervals over the blocks.", 0, screen));
    Some(lines.join("\n"))
}

/// The same as a table in Markdown: a row for each contender and figure.
pub fn requests_markdown(outcome: &Outcome) -> Option<String> {
    let mut table = grid(Style::Markdown);
    table.set_header(["workload", "allocator", "figure", "value"]);
    let mut is_empty = true;
    for case in &outcome.cases {
        for (name, served) in served(case) {
            for (figure, value) in in_full(served) {
                is_empty = false;
                table.add_row([case.case.to_string(), name.to_owned(), figure, value].map(|cell| escaped(&cell)));
            }
        }
    }
    (!is_empty).then(|| render(&table))
}

/// The same as comma-separated values: a line for each contender and figure, with its interval.
pub fn requests_csv(outcome: &Outcome) -> Option<String> {
    let names = ["workload", "parameters", "contender", "figure", "value", "low", "high", "blocks"];
    let mut rows = Vec::new();
    for case in &outcome.cases {
        for (name, served) in served(case) {
            for (figure, level) in numbers(served) {
                let shown = |value: Option<f64>| super::csv::optional(value);
                rows.push([
                    case.case.workload.clone(),
                    parameters(&case.case),
                    name.to_owned(),
                    figure,
                    shown(level.map(|level| level.value)),
                    shown(level.and_then(|level| level.low)),
                    shown(level.and_then(|level| level.high)),
                    level.map_or(0, |level| level.blocks).to_string(),
                ]);
            }
        }
    }
    (!rows.is_empty()).then(|| csv(&names, rows.into_iter()))
}

fn numbers(served: &Served) -> Vec<(String, Option<Level>)> {
    // Sums over all samples have no interval.
    let sum = |value: u64| Some(Level { value: value as f64, ..Level::default() });
    let latency = &served.latency;
    let mut all: Vec<(String, Option<Level>)> = [
        ("requests", sum(served.count)),
        ("connections", sum(served.connections)),
        ("open_loop", sum(u64::from(served.open_loop))),
        ("requests_per_second", served.per_second),
        ("requests_per_cpu_second", served.per_cpu_second),
        ("user_ns", served.user_ns),
        ("system_ns", served.system_ns),
        ("client_ns", served.client_ns),
        ("received_per_second", served.received_per_second),
        ("min_ns", latency.min),
        ("mean_ns", latency.mean),
        ("sd_ns", latency.sd),
    ]
    .map(|(name, level)| (name.to_owned(), level))
    .into();
    all.extend(latency.percentiles().map(|(percent, level)| (format!("p{}_ns", percent.replace('.', "")), level)));
    all.extend(served.errors.kinds().map(|(kind, count)| (format!("errors_{kind}"), sum(count))));
    all
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::outcome::Metric;
    use crate::record::{ErrorsRow, Record};
    use crate::served::LatencyLevels;
    use crate::{Case, Status};

    fn contender(name: &str, errors: ErrorsRow) -> ContenderOutcome {
        let level = |value: f64| {
            Some(Level { value, low: Some(value - value / 10.0), high: Some(value + value / 10.0), blocks: 8 })
        };
        let latency = LatencyLevels {
            min: level(1e6),
            mean: level(2e6),
            sd: level(3e6),
            p50: level(4e6),
            p66: level(5e6),
            p75: level(6e6),
            p80: level(7e6),
            p90: level(8e6),
            p95: level(9e6),
            p98: level(10e6),
            p99: level(11e6),
            p999: level(12e6),
            max: level(13e6),
        };
        ContenderOutcome {
            name: name.into(),
            status: Status::Ok,
            throughput: None,
            cpu_per_unit_ns: None,
            idle_cpu: None,
            peak_rss: None,
            wall: None,
            cpu: None,
            memory: None,
            over_time: None,
            served: Some(Served {
                count: 100_000,
                connections: 50,
                open_loop: false,
                per_second: level(29.6e3),
                per_cpu_second: level(66.8e3),
                user_ns: level(12e3),
                system_ns: level(3e3),
                client_ns: None,
                received_per_second: level(5.0 * 1_048_576.0),
                latency,
                errors,
                against: [None; Metric::LATENCIES.len()],
            }),
        }
    }

    fn outcome() -> Outcome {
        let failing = ErrorsRow { reset: 3, timeout: 20, ..ErrorsRow::default() };
        let contenders = vec![contender("system", ErrorsRow::default()), contender("other", failing)];
        let case = CaseOutcome { contenders, ..CaseOutcome::of(&Record::default(), &Case::new("service/x")) };
        let silent = CaseOutcome::of(&Record::default(), &Case::new("graph/tree"));
        Outcome { reference: "system".into(), margin: 0.01, cases: vec![case, silent], alarms: Vec::new() }
    }

    fn words(line: &str) -> String {
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_contender_has_a_line_of_figures() {
        let outcome = outcome();
        let lines = lines(&outcome.cases[0], &Screen::default());
        assert_eq!(
            words(&lines[0]),
            "requests requests/s per CPU s user system received errors min mean sd median p90 p99 max"
        );
        assert_eq!(
            words(&lines[1]),
            "system 29.6 k/s 66.8 k/s 12.0 µs 3.00 µs 5.00 MiB/s 0 % 1.00 ms 2.00 ms 3.00 ms 4.00 ms 8.00 ms 11.0 ms 13.0 ms"
        );
        assert!(lines[2].contains("  < 0.1 %  "), "{}", lines[2]);
        let narrow = super::lines(&outcome.cases[0], &Screen { width: Some(80), colour: false });
        assert!(narrow.len() == 6 && narrow.iter().all(|line| line.width() <= 80), "{narrow:#?}");
        assert!(words(&narrow[3]).starts_with("latency min mean") && words(&narrow[4]).ends_with("11.0 ms 13.0 ms"));
        assert!(super::lines(&outcome.cases[1], &Screen::default()).is_empty());
        assert_eq!(notes(&outcome.cases[0]), ["other: 23 of 100000 requests failed: 3 reset, 20 timeout"]);
        assert_eq!(table(&outcome).unwrap().lines().count(), 4);
    }

    #[test]
    fn in_full_there_are_the_percentiles_that_ab_prints() {
        let text = requests_text(&outcome(), &Screen::default()).unwrap();
        for (percent, ms) in [
            ("50 %", "4.00"),
            ("66 %", "5.00"),
            ("75 %", "6.00"),
            ("80 %", "7.00"),
            ("90 %", "8.00"),
            ("95 %", "9.00"),
            ("98 %", "10.0"),
            ("99 %", "11.0"),
            ("99.9 %", "12.0"),
            ("100 %", "13.0"),
        ] {
            let line = text.lines().map(words).find(|line| line.starts_with(&format!("{percent} within"))).unwrap();
            assert_eq!(line.matches(&format!("{ms} ms [")).count(), 2, "{line}");
        }
        assert!(!text.contains("graph/tree"), "{text}");
    }

    #[test]
    fn narrow_screens_get_the_same_below_each_other() {
        for width in [70, 80, 120] {
            let text = requests_text(&outcome(), &Screen { width: Some(width), colour: false }).unwrap();
            assert!(text.lines().all(|line| line.width() <= width), "{width}: {text}");
            for part in ["system", "other", "99.9 % within", "12.0 ms [10.8 ms, 13.2 ms]", "closed"] {
                assert!(text.contains(part), "{width}: {part} in {text}");
            }
        }
    }

    #[test]
    fn programs_get_every_figure_with_its_interval() {
        let text = requests_csv(&outcome()).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let find = |name: &str, figure: &str| rows.iter().find(|row| &row[2] == name && &row[3] == figure).unwrap();
        assert_eq!(
            find("other", "p999_ns").iter().skip(4).collect::<Vec<_>>(),
            ["12000000", "10800000", "13200000", "8"]
        );
        assert_eq!(&find("other", "errors_timeout")[4], "20");
        assert_eq!(&find("system", "client_ns")[4], "");
        let markdown = requests_markdown(&outcome()).unwrap();
        assert_eq!(markdown.lines().count(), 2 + 2 * 23, "{markdown}");
    }

    #[test]
    fn without_requests_there_is_no_view() {
        let mut outcome = outcome();
        outcome.cases.remove(0);
        assert_eq!(requests_text(&outcome, &Screen::default()), None);
        assert_eq!((requests_markdown(&outcome), requests_csv(&outcome), table(&outcome)), (None, None, None));
    }
}

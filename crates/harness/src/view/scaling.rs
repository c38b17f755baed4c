//! How contenders scale: the curves of each sweep, and the laws that fit them.

use super::columns::{Screen, Tone, wrapped};
use super::csv::{csv, optional, parameters};
use super::figures::{Figures, Heading, pipe_table};
use crate::stats::Level;
use crate::{Bytes, Line, ScaledContender, Scaling, UnitsPerSecond, UslFit};

/// What the columns mean.
const LEGEND: &str = "Throughput is units per second of wall time and RSS its peak, medians over the blocks; brackets hold 95 % \
                      intervals. The Universal Scalability Law is X(N) = λN / (1 + σ(N − 1) + κN(N − 1)): λ is the throughput of \
                      one, σ what they wait for each other, κ what it costs that they have to agree; R² is the share of the \
                      curve's variation that it explains, and at its peak more begin to do less. Memory for each further one is \
                      the slope of a straight line. Their intervals come from blocks drawn anew.";

/// Each sweep on a terminal: curves, laws and memory. Nothing where there is no sweep.
pub fn scaling_text(all: &[Scaling], screen: &Screen) -> Option<String> {
    let mut lines = Vec::new();
    for scaling in all {
        let heading = format!("{} (unit: {})", title(scaling), scaling.unit);
        lines.extend(wrapped(&heading, 0, screen).iter().map(|line| Tone::Heading.paint(line, screen)));
        lines.extend(curves(scaling).lines(screen));
        lines.extend(laws(scaling).lines(screen));
        for note in without_law(scaling) {
            lines.extend(wrapped(&note, 2, screen));
        }
        lines.push(String::new());
    }
    (!all.is_empty()).then(|| {
        lines.extend(wrapped(LEGEND, 0, screen));
        lines.join("\n")
    })
}

/// The same in Markdown: a table of the curves and one of the laws.
pub fn scaling_markdown(all: &[Scaling]) -> Option<String> {
    let tables = |of: fn(&Scaling) -> Figures| -> Vec<(Vec<String>, Figures)> {
        all.iter().map(|scaling| (vec![title(scaling)], of(scaling))).collect()
    };
    let curves = pipe_table(&["sweep", "allocator"], &tables(curves))?;
    let laws = pipe_table(&["sweep", "allocator"], &tables(laws)).unwrap_or_default();
    let notes: Vec<String> = all
        .iter()
        .flat_map(|scaling| without_law(scaling).into_iter().map(|note| format!("- {}: {note}\n", title(scaling))))
        .collect();
    let notes = if notes.is_empty() { String::new() } else { format!("{}\n", notes.concat()) };
    Some(format!("{curves}\n\n{laws}\n\n{notes}{LEGEND}"))
}

/// The same as comma-separated values: a line for each contender and value, with what the law says of it, and its
/// coefficients again in each.
pub fn scaling_csv(all: &[Scaling]) -> Option<String> {
    let names = [
        "workload",
        "parameters",
        "contender",
        "swept",
        "value",
        "throughput",
        "throughput_low",
        "throughput_high",
        "peak_rss",
        "peak_rss_low",
        "peak_rss_high",
        "blocks",
        "usl_throughput",
        "usl_lambda",
        "usl_sigma",
        "usl_kappa",
        "usl_r_squared",
        "usl_peak",
        "rss_for_each",
    ];
    let rows = all.iter().flat_map(|scaling| {
        scaling.contenders.iter().flat_map(move |contender| {
            contender.points.iter().map(move |point| {
                let law = contender.law.map(|fit| fit.law);
                let base = &scaling.sweep.base;
                [
                    base.workload.clone(),
                    parameters(base),
                    contender.name.clone(),
                    scaling.sweep.parameter.clone(),
                    point.value.to_string(),
                    optional(point.throughput.map(|level| level.value)),
                    optional(point.throughput.and_then(|level| level.low)),
                    optional(point.throughput.and_then(|level| level.high)),
                    optional(point.peak_rss.map(|level| level.value)),
                    optional(point.peak_rss.and_then(|level| level.low)),
                    optional(point.peak_rss.and_then(|level| level.high)),
                    point.throughput.map_or(0, |level| level.blocks).to_string(),
                    optional(law.map(|law| law.at(point.value as f64))),
                    optional(law.map(|law| law.lambda)),
                    optional(law.map(|law| law.sigma)),
                    optional(law.map(|law| law.kappa)),
                    optional(law.and_then(|law| law.r_squared)),
                    optional(contender.law.and_then(|fit| fit.peak)),
                    optional(contender.memory.map(|line| line.slope)),
                ]
            })
        })
    });
    (!all.is_empty()).then(|| csv(&names, rows))
}

fn title(scaling: &Scaling) -> String {
    format!("{} over {}", scaling.sweep.base, scaling.sweep.parameter)
}

/// A row for each contender and value.
fn curves(scaling: &Scaling) -> Figures {
    let rows = scaling.contenders.iter().flat_map(|contender| {
        contender.points.iter().map(|point| {
            let values = vec![
                point.value.to_string(),
                with_interval(point.throughput, |value| UnitsPerSecond(value).to_string()),
                with_interval(point.peak_rss, size),
            ];
            (contender.name.clone(), values)
        })
    });
    let headings = [scaling.sweep.parameter.as_str(), "throughput", "peak RSS"].map(Heading::number);
    Figures { title: "allocator".into(), headings: headings.into(), rows: rows.collect() }
}

/// A row for each contender.
fn laws(scaling: &Scaling) -> Figures {
    let headings = ["λ", "σ", "κ", "R²", "peak at", "RSS for each"].map(Heading::number);
    let rows = scaling.contenders.iter().map(|contender| {
        let mut values = contender.law.map_or_else(|| vec!["n/a".to_owned(); 5], |fit| law(&fit));
        values.push(contender.memory.map_or_else(|| "n/a".into(), |line| for_each(&line, scaling.sweep.unit())));
        (contender.name.clone(), values)
    });
    Figures { title: "allocator".into(), headings: headings.into(), rows: rows.collect() }
}

fn law(fit: &UslFit) -> Vec<String> {
    let coefficient = |value: f64, interval: Option<(f64, f64)>| {
        // Of thousands of connections, what each costs the others is a small number.
        let shown = |value: f64| {
            if value == 0.0 || value >= 0.001 { format!("{value:.4}") } else { format!("{value:.1e}") }
        };
        bracketed(&shown(value), interval.map(|(low, high)| (shown(low), shown(high))))
    };
    let rate = |value: f64| UnitsPerSecond(value).to_string();
    let at = |value: f64| format!("{value:.1}");
    let peak = fit.peak.map_or_else(|| "none".to_owned(), at);
    let peak_interval = fit.peak_low.map(|low| (at(low), fit.peak_high.map_or_else(|| "∞".to_owned(), at)));
    vec![
        bracketed(&rate(fit.law.lambda), fit.lambda_interval.map(|(low, high)| (rate(low), rate(high)))),
        coefficient(fit.law.sigma, fit.sigma_interval),
        coefficient(fit.law.kappa, fit.kappa_interval),
        fit.law.r_squared.map_or_else(|| "n/a".into(), |share| format!("{share:.4}")),
        bracketed(&peak, peak_interval),
    ]
}

/// Memory for each further one: `3.00 MiB/thread [2.90 MiB, 3.10 MiB]`.
fn for_each(line: &Line, unit: &str) -> String {
    bracketed(&format!("{}/{unit}", size(line.slope)), line.slope_interval.map(|(low, high)| (size(low), size(high))))
}

fn without_law(scaling: &Scaling) -> Vec<String> {
    let why = |contender: &ScaledContender| Some(format!("{}: {}", contender.name, contender.no_law.as_ref()?));
    scaling.contenders.iter().filter_map(why).collect()
}

/// Bytes, which can be fewer than none: a slope may fall.
fn size(bytes: f64) -> String {
    let sign = if bytes < 0.0 { "-" } else { "" };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and what is too large is cut"
    )]
    let bytes = Bytes(bytes.abs() as u64);
    format!("{sign}{bytes}")
}

fn with_interval(level: Option<Level>, show: impl Fn(f64) -> String) -> String {
    level.map_or_else(
        || "n/a".into(),
        |level| bracketed(&show(level.value), level.interval().map(|(low, high)| (show(low), show(high)))),
    )
}

fn bracketed(value: &str, interval: Option<(String, String)>) -> String {
    interval.map_or_else(|| value.to_owned(), |(low, high)| format!("{value} [{low}, {high}]"))
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::stats::Usl;
    use crate::{Case, ScalingPoint, Sweep};

    fn scaling() -> Scaling {
        let law = Usl { lambda: 1000.0, sigma: 0.1, kappa: 0.01, r_squared: Some(0.9987) };
        let level =
            |value: f64, half: f64| Some(Level { value, low: Some(value - half), high: Some(value + half), blocks: 8 });
        let points = [1, 2, 4, 8].map(|value| ScalingPoint {
            value,
            throughput: level(law.at(value as f64), 1.0),
            peak_rss: level((value << 20) as f64, 0.0),
        });
        let fit = UslFit {
            law,
            lambda_interval: Some((990.0, 1010.0)),
            sigma_interval: Some((0.09, 0.11)),
            kappa_interval: None,
            peak: law.peak(),
            peak_low: Some(8.0),
            peak_high: None,
        };
        let memory = Line { intercept: 0.0, slope: -2048.0, slope_interval: Some((-3072.0, 1024.0)) };
        let values = [1, 2, 4, 8].map(|threads: u64| (threads, Case::new("service/x").with("threads", threads)));
        let system = ScaledContender {
            name: "system".into(),
            points: points.into(),
            law: Some(fit),
            no_law: None,
            memory: Some(memory),
        };
        let other = ScaledContender {
            name: "other".into(),
            points: points[..3].into(),
            law: None,
            no_law: Some("measured at 3 values of threads".into()),
            memory: None,
        };
        Scaling {
            sweep: Sweep { base: Case::new("service/x"), parameter: "threads".into(), values: values.into() },
            unit: "request".into(),
            contenders: vec![system, other],
        }
    }

    #[test]
    fn curves_and_laws_stand_in_tables() {
        let text = scaling_text(&[scaling()], &Screen::default()).unwrap();
        let lines: Vec<String> =
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(lines[0], "service/x over threads (unit: request)");
        assert_eq!(lines[1], "allocator threads throughput peak RSS");
        assert_eq!(lines[2], "system 1 1.00 k/s [999 /s, 1.00 k/s] 1.00 MiB [1.00 MiB, 1.00 MiB]");
        let law = "system 1.00 k/s [990 /s, 1.01 k/s] 0.1000 [0.0900, 0.1100] 0.0100 0.9987 9.5 [8.0, ∞] \
                   -2.00 KiB/thread [-3.00 KiB, 1.00 KiB]";
        assert!(lines.iter().any(|line| line == law), "{text}");
        assert!(lines.iter().any(|line| line == "other: measured at 3 values of threads"), "{text}");
        assert_eq!(scaling_text(&[], &Screen::default()), None);
    }

    #[test]
    fn narrow_screens_get_the_same_below_each_other() {
        let text = scaling_text(&[scaling()], &Screen { width: Some(60), colour: false }).unwrap();
        assert!(text.lines().all(|line| line.width() <= 60), "{text}");
        for part in ["9.5 [8.0, ∞]", "-2.00 KiB/thread", "0.9987", "1.00 k/s [999 /s, 1.00 k/s]"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn programs_get_a_line_for_each_point() {
        let text = scaling_csv(&[scaling()]).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 7);
        assert_eq!((&rows[1][2], &rows[1][3], &rows[1][4], &rows[1][8]), ("system", "threads", "2", "2097152"));
        assert_eq!(rows[1][12], rows[1][5], "the law of an exact curve");
        assert_eq!((&rows[6][2], &rows[6][13]), ("other", ""));
        let page = scaling_markdown(&[scaling()]).unwrap();
        assert!(
            page.contains("| service/x over threads | system") && page.contains("- service/x over threads: other:"),
            "{page}"
        );
        assert_eq!((scaling_csv(&[]), scaling_markdown(&[])), (None, None));
    }
}

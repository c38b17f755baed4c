//! A run second by second: every turn for programs, and a small picture for people.

use super::columns::{Screen, Tone, wrapped};
use super::csv::{csv, optional, parameters};
use super::figures::{Figures, Heading, pipe_table};
use super::over_time::growth_of;
use super::samples::{arrangement_word, role_word};
use crate::record::{Record, Sample};
use crate::series::units_of_a_turn;
use crate::{Arrangement, Case, Point, Series, UnitsPerSecond};

/// What the columns mean.
const LEGEND: &str = "Bars begin at zero and end at the greatest of their line; each is a median over the samples, of neighbouring \
                      turns together. Change is of the level, in each turn, with a 95 % interval: of throughput over all turns, of \
                      memory after a quarter of them as warm-up. In a sample of few turns, what a heap needs at first is growth too.";

/// A line for each contender of each workload, on a terminal. Nothing where no sample has two turns.
pub fn series_text(all: &[Series], screen: &Screen) -> Option<String> {
    let mut lines = Vec::new();
    for series in all {
        let heading = format!("{} (unit: {}), {}", series.case, series.unit, how(series));
        lines.extend(wrapped(&heading, 0, screen).iter().map(|line| Tone::Heading.paint(line, screen)));
        lines.extend(figures(series).lines(screen));
        lines.push(String::new());
    }
    (!lines.is_empty()).then(|| {
        lines.extend(wrapped(LEGEND, 0, screen));
        lines.join("\n")
    })
}

/// The same in Markdown.
pub fn series_markdown(all: &[Series]) -> Option<String> {
    let figures: Vec<(Vec<String>, Figures)> =
        all.iter().map(|series| (vec![series.case.to_string()], figures(series))).collect();
    let table = pipe_table(&["workload", "allocator"], &figures)?;
    Some(format!("{table}\n\n{LEGEND}"))
}

/// A line for each turn of the samples of the cases and contenders that are wanted: when it ended, counted from the first
/// turn's beginning in time inside turns, how much was done in it, and what was resident after it.
pub fn series_csv(record: &Record, wanted: impl Fn(&Case, &str) -> bool) -> String {
    let names = [
        "workload",
        "parameters",
        "contender",
        "role",
        "block",
        "arrangement",
        "counts",
        "turn",
        "time_ns",
        "wall_ns",
        "user_ns",
        "system_ns",
        "units",
        "units_per_second",
        "rss",
    ];
    let samples = record.samples.iter().filter(|sample| wanted(&sample.case, &sample.contender));
    let rows = samples.flat_map(|sample| {
        let counts = record.is_complete(&sample.case, sample.block, sample.arrangement) && sample.status.is_ok();
        turns(sample).map(move |(turn, time, units)| {
            let wall = sample.turns.wall_ns[turn];
            let per_second = UnitsPerSecond::of(1, crate::Nanos(wall)).map(|one| one.0 * units);
            [
                sample.case.workload.clone(),
                parameters(&sample.case),
                sample.contender.clone(),
                role_word(sample.role).to_owned(),
                sample.block.to_string(),
                arrangement_word(sample.arrangement).to_owned(),
                counts.to_string(),
                turn.to_string(),
                time.to_string(),
                wall.to_string(),
                optional(sample.turns.user_ns.get(turn)),
                optional(sample.turns.system_ns.get(turn)),
                units.to_string(),
                optional(per_second),
                optional(sample.turns.rss.get(turn).map(|rss| rss.0)),
            ]
        })
    });
    csv(&names, rows)
}

/// Each turn with the time at its end and its units.
fn turns(sample: &Sample) -> impl Iterator<Item = (usize, u64, f64)> {
    let units = units_of_a_turn(sample);
    sample.turns.wall_ns.iter().enumerate().scan(0_u64, move |time, (turn, wall)| {
        *time = time.saturating_add(*wall);
        Some((turn, *time, units))
    })
}

fn how(series: &Series) -> &'static str {
    match series.arrangement {
        Arrangement::Alone => "undisturbed",
        Arrangement::Turns => "taking turns",
    }
}

fn figures(series: &Series) -> Figures {
    let headings = vec![
        Heading::number("time"),
        Heading::text("throughput"),
        Heading::number("first"),
        Heading::number("last"),
        Heading::number("change/turn"),
        Heading::verdict("pace"),
        Heading::text("RSS"),
        Heading::number("first"),
        Heading::number("last"),
        Heading::number("change/turn"),
        Heading::verdict("trend"),
    ];
    let or_absent = |text: Option<String>| text.unwrap_or_else(|| "n/a".into());
    let rows = series.contenders.iter().map(|contender| {
        let points = &contender.points;
        let rate =
            |point: Option<&Point>| or_absent(point.and_then(|p| p.per_second).map(|r| UnitsPerSecond(r).to_string()));
        let size = |point: Option<&Point>| or_absent(point.and_then(|point| point.rss).map(|rss| rss.to_string()));
        let values = vec![
            or_absent(points.last().map(|point| point.time.to_string())),
            bars(points.iter().map(|point| point.per_second)),
            rate(points.first()),
            rate(points.last()),
            or_absent(contender.drift.map(|drift| growth_of(drift.per_turn, drift.interval()))),
            or_absent(contender.drift.map(|drift| drift.pace.to_string())),
            bars(points.iter().map(|point| point.rss.map(|rss| rss.0 as f64))),
            size(points.first()),
            size(points.last()),
            or_absent(contender.slope.map(|slope| growth_of(slope.per_turn, slope.interval()))),
            or_absent(contender.slope.map(|slope| slope.trend.to_string())),
        ];
        (contender.name.clone(), values)
    });
    Figures { title: "allocator".into(), headings, rows: rows.collect() }
}

/// Eighths of the greatest value; a dot for what is absent.
fn bars(values: impl Iterator<Item = Option<f64>> + Clone) -> String {
    const EIGHTHS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = values.clone().flatten().fold(0.0, f64::max);
    values
        .map(|value| {
            let share = value.map(|value| value / most).filter(|share| share.is_finite());
            let bar = |share: f64| {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 8")]
                let eighths = (share * 8.0).ceil().clamp(1.0, 8.0) as usize;
                EIGHTHS[eighths - 1]
            };
            share.map_or('·', bar)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::record::{Role, Turns};
    use crate::stats::{Drift, Pace};
    use crate::{Bytes, Nanos, SeriesOfContender};

    #[test]
    fn bars_begin_at_zero() {
        let some = |values: &[f64]| bars(values.iter().copied().map(Some).collect::<Vec<_>>().into_iter());
        assert_eq!(some(&[3500.0, 3500.0, 1700.0, 1.0]), "██▄▁");
        assert_eq!(some(&[0.0, 8.0]), "▁█");
        assert_eq!(bars([None, Some(5.0)].into_iter()), "·█");
        assert_eq!(some(&[0.0, 0.0]), "··", "nothing to be a part of");
        assert_eq!(bars(std::iter::empty()), "");
    }

    fn series() -> Series {
        let point = |index: u64, per_second: f64| Point {
            time: Nanos(index * 1_000_000_000),
            per_second: Some(per_second),
            rss: Some(Bytes(index << 20)),
        };
        let drift = Drift { per_turn: -0.01, low: Some(-0.02), high: Some(-0.005), samples: 6, pace: Pace::Declining };
        let falling = SeriesOfContender {
            name: "system".into(),
            points: vec![point(1, 3500.0), point(2, 1700.0)],
            drift: Some(drift),
            slope: None,
        };
        Series {
            case: Case::new("service/x"),
            unit: "request".into(),
            arrangement: Arrangement::Alone,
            contenders: vec![falling],
        }
    }

    #[test]
    fn every_contender_has_its_picture() {
        let text = series_text(&[series()], &Screen::default()).unwrap();
        let lines: Vec<String> =
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(lines[0], "service/x (unit: request), undisturbed");
        assert_eq!(
            lines[2],
            "system 2.00 s █▄ 3.50 k/s 1.70 k/s -1.00 % [-2.00, -0.50] declining ▄█ 1.00 MiB 2.00 MiB n/a n/a"
        );
        let narrow = series_text(&[series()], &Screen { width: Some(60), colour: false }).unwrap();
        assert!(narrow.lines().all(|line| line.width() <= 60) && narrow.contains("declining"), "{narrow}");
        assert!(series_markdown(&[series()]).unwrap().contains("| service/x | system"));
        assert_eq!((series_text(&[], &Screen::default()), series_markdown(&[])), (None, None));
    }

    #[test]
    fn programs_get_every_turn() {
        let turns = Turns { wall_ns: vec![1_000_000, 2_000_000], user_ns: vec![5], ..Turns::default() };
        let sample =
            Sample { units: 20, turns, ..Sample::new(Case::new("a/b"), "one", Role::Contender, 3, Arrangement::Turns) };
        let other = Sample { contender: "two".into(), ..sample.clone() };
        let record = Record { samples: vec![sample, other], ..Record::default() };
        let text = series_csv(&record, |_, name| name == "one");
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(
            rows[1..],
            [
                "a/b,,one,contender,3,turns,false,0,1000000,1000000,5,,10,10000,",
                "a/b,,one,contender,3,turns,false,1,3000000,2000000,,,10,5000,"
            ]
        );
    }
}

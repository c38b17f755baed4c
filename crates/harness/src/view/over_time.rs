//! Memory over time: a table of its own for each workload that is about it.

use super::columns::Screen;
use super::figures::{Figures, Heading, pipe_table};
use super::numbers::{percent, ratio};
use crate::outcome::{CaseOutcome, ContenderOutcome, Outcome};
use crate::over_time::OverTime;
use crate::stats::{GROWTH_MARGIN, Slope};
use crate::{Bytes, Nanos};

/// The lines of one case, in the widest layout that fits; none where it is not about memory over time.
pub(super) fn lines(case: &CaseOutcome, screen: &Screen) -> Vec<String> {
    figures(case, &moments(case)).lines(screen)
}

/// A pipe table of all cases that are about memory over time; nothing where none is.
pub(super) fn table(outcome: &Outcome) -> Option<String> {
    let cases: Vec<&CaseOutcome> = outcome.cases.iter().filter(|case| case.is_over_time()).collect();
    let mut all: Vec<Nanos> = cases.iter().flat_map(|case| moments(case)).collect();
    all.sort_unstable();
    all.dedup();
    let figures: Vec<(Vec<String>, Figures)> =
        cases.iter().map(|case| (vec![case.case.to_string()], figures(case, &all))).collect();
    pipe_table(&["workload", "allocator"], &figures)
}

/// What the columns mean.
pub(super) fn legend() -> String {
    format!(
        "Memory over time is resident memory: at its peak, at the end of the work, when everything was dropped, and after so \
         much quiet time. Retained is what is left of the peak at the last reading, both above what the worker needed at its \
         greeting; half back says when half of the peak had been returned; blow-up is peak ÷ live bytes. Growth is of the \
         level, in each turn, after a quarter of the turns as warm-up, with a 95 % interval: below {} % it does not matter. Throughput keeps up (steady), \
         declines or rises by the same measure, over all turns.",
        GROWTH_MARGIN * 100.0
    )
}

/// What has to be known to read the figures of a case.
pub(super) fn notes(case: &CaseOutcome) -> Vec<String> {
    let lazy = |contender: &ContenderOutcome| {
        let over_time = contender.over_time.as_ref()?;
        let (lazy, last) = (over_time.lazy_free?, last(over_time)?);
        // A hundredth of what is there is within what the kernel's counters make.
        (lazy.0 > last.0 / 100).then(|| {
            format!(
                "{}: {lazy} of the {last} that are resident in the end are given back already; the kernel takes them when it \
                 needs them",
                contender.name
            )
        })
    };
    case.contenders.iter().filter_map(lazy).collect()
}

fn last(over_time: &OverTime) -> Option<Bytes> {
    over_time.settled.last().map(|settled| settled.rss).or(over_time.drained)
}

/// The quiet times after which anyone's memory was read.
fn moments(case: &CaseOutcome) -> Vec<Nanos> {
    let all = case.contenders.iter().filter_map(|contender| contender.over_time.as_ref());
    let mut moments: Vec<Nanos> = all.flat_map(|over_time| over_time.settled.iter().map(|s| s.after)).collect();
    moments.sort_unstable();
    moments.dedup();
    moments
}

fn headings(moments: &[Nanos]) -> Vec<Heading> {
    let first = ["peak", "worked", "drained"].map(Heading::number).into_iter();
    let settled = moments.iter().map(|moment| Heading::number(format!("+{moment}")));
    let last = ["retained", "half back", "blow-up", "growth/turn"].map(Heading::number).into_iter();
    first.chain(settled).chain(last).chain(["trend", "throughput"].map(Heading::verdict)).collect()
}

/// The contenders that were measured, each with its values in the order of [`headings`].
fn figures(case: &CaseOutcome, moments: &[Nanos]) -> Figures {
    let row = |contender: &'_ ContenderOutcome| Some(values(contender, contender.over_time.as_ref()?, moments));
    let rows = case.contenders.iter().filter_map(|contender| Some((contender.name.clone(), row(contender)?)));
    Figures { title: "memory over time".into(), headings: headings(moments), rows: rows.collect() }
}

fn values(contender: &ContenderOutcome, over_time: &OverTime, moments: &[Nanos]) -> Vec<String> {
    let or_absent = |text: Option<String>| text.unwrap_or_else(|| "n/a".into());
    let size = |bytes: Option<Bytes>| or_absent(bytes.map(|bytes| bytes.to_string()));
    let at = |moment: &Nanos| over_time.settled.iter().find(|s| s.after == *moment).map(|s| s.rss);
    let mut values = vec![size(contender.peak_rss), size(over_time.worked), size(over_time.drained)];
    values.extend(moments.iter().map(|moment| size(at(moment))));
    values.push(or_absent(over_time.retained.map(percent)));
    values.push(or_absent(over_time.half_returned.map(|when| when.to_string())));
    values.push(or_absent(over_time.blow_up.map(ratio)));
    values.push(or_absent(over_time.slope.map(|slope| growth(&slope))));
    values.push(or_absent(over_time.slope.map(|slope| slope.trend.to_string())));
    values.push(or_absent(over_time.drift.map(|drift| drift.pace.to_string())));
    values
}

/// Growth in each turn in per cent of the level: `+0.02 % [-0.01, +0.04]`.
pub(super) fn growth(slope: &Slope) -> String {
    growth_of(slope.per_turn, slope.interval())
}

/// The same from its parts.
pub(super) fn growth_of(per_turn: f64, interval: Option<(f64, f64)>) -> String {
    // Without a minus sign before what is shown as zero.
    let shown = |fraction: f64| format!("{:+.2}", (fraction * 1e4).round() / 100.0 + 0.0);
    match interval {
        Some((low, high)) => format!("{} % [{}, {}]", shown(per_turn), shown(low), shown(high)),
        None => format!("{} %", shown(per_turn)),
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::over_time::{HalfReturned, Settled};
    use crate::record::Record;
    use crate::stats::{Drift, Pace, Trend};
    use crate::{Case, Status};

    const MIB: u64 = 1 << 20;

    fn contender(name: &str, trend: Trend) -> ContenderOutcome {
        let settled = |ms: u64, mib: u64| Settled { after: Nanos(ms * 1_000_000), rss: Bytes(mib * MIB) };
        let slope = Slope { per_turn: 0.0124, low: Some(-0.000_01), high: Some(0.02), late: 0.01, samples: 6, trend };
        ContenderOutcome {
            name: name.into(),
            status: Status::Ok,
            throughput: None,
            cpu_per_unit_ns: None,
            idle_cpu: None,
            peak_rss: Some(Bytes(100 * MIB)),
            wall: None,
            cpu: None,
            memory: None,
            over_time: Some(OverTime {
                drained: Some(Bytes(90 * MIB)),
                settled: vec![settled(500, 80), settled(15_000, 20)],
                lazy_free: Some(Bytes(5 * MIB)),
                retained: Some(0.125),
                half_returned: Some(HalfReturned::After(Nanos(15_000_000_000))),
                slope: Some(slope),
                drift: Some(Drift { per_turn: -0.01, low: None, high: None, samples: 6, pace: Pace::Declining }),
                ..OverTime::default()
            }),
            served: None,
        }
    }

    fn case() -> CaseOutcome {
        let none = ContenderOutcome { over_time: None, ..contender("dead", Trend::Flat) };
        let contenders = vec![contender("system", Trend::Growing), contender("other", Trend::Unclear), none];
        CaseOutcome { contenders, ..CaseOutcome::of(&Record::default(), &Case::new("memory/x")) }
    }

    #[test]
    fn every_contender_with_a_curve_has_its_figures() {
        let lines = lines(&case(), &Screen::default());
        assert_eq!(lines.len(), 3, "{lines:#?}");
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            words(&lines[0]),
            "memory over time peak worked drained +500 ms +15.0 s retained half back blow-up growth/turn trend throughput"
        );
        assert_eq!(
            words(&lines[1]),
            "system 100 MiB n/a 90.0 MiB 80.0 MiB 20.0 MiB 12.5 % 15.0 s n/a +1.24 % [+0.00, +2.00] growing declining"
        );
        let none = CaseOutcome { contenders: Vec::new(), ..case() };
        assert!(super::lines(&none, &Screen::default()).is_empty());
    }

    #[test]
    fn narrow_screens_get_the_same_below_each_other() {
        for width in [40, 60, 80, 200] {
            let lines = lines(&case(), &Screen { width: Some(width), colour: false });
            assert!(lines.iter().all(|line| line.width() <= width), "{width}: {lines:#?}");
            let all = lines.join(" ");
            for part in ["drained", "+15.0 s", "12.5 %", "growing", "unclear", "system", "other"] {
                assert!(all.contains(part), "{width}: {part} in {lines:#?}");
            }
        }
    }

    #[test]
    fn the_table_has_the_quiet_times_of_all_cases() {
        let mut other = case();
        other.case = Case::new("memory/y");
        for over_time in other.contenders.iter_mut().filter_map(|contender| contender.over_time.as_mut()) {
            over_time.settled.truncate(1);
        }
        let outcome =
            Outcome { reference: String::new(), margin: 0.01, cases: vec![case(), other], alarms: Vec::new() };
        let table = table(&outcome).unwrap();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 6, "{table}");
        assert!(lines[0].contains("+500 ms") && lines[0].contains("+15.0 s"), "{table}");
        assert!(lines[4].contains("memory/y") && lines[4].contains("n/a"), "{table}");
        assert_eq!(super::table(&Outcome { cases: Vec::new(), ..outcome }), None);
    }

    #[test]
    fn what_is_given_back_but_not_taken_is_said() {
        let notes = notes(&case());
        assert!(notes.len() == 2 && notes[0].contains("5.00 MiB of the 20.0 MiB"), "{notes:?}");
    }
}

//! What the benches print in the end.

use heapmark::view::{Style, notes, table};
use heapmark::{Arrangement, Case, CaseOutcome, Outcome};
use heapmark_criterion::{Metric, PeakRss, TimePerUnit};

use crate::place::Place;

/// Not all is well.
pub(crate) const FAILED: &str =
    "error: not everything could be measured; `--no-fail-fast` has Cargo run the other benches nevertheless";

/// The table, and what must be known about it.
pub(crate) fn table_and_notes(outcome: &Outcome) -> String {
    lines(std::iter::once(table(outcome, Style::Text)).chain(notes(outcome)))
}

/// Where to find what a criterion bench leaves behind.
pub(crate) fn whereabouts<M: Metric>(place: &Place<'_>) -> String {
    let record = format!("record: {}", place.record(M::NAME));
    let pages = place.pages().map(|page| format!("criterion's report: {page}"));
    let verdicts = "the comparison: `cargo bench --bench verdicts`, which comes last in `cargo bench`".to_owned();
    lines([Some(record), pages, Some(verdicts)].into_iter().flatten())
}

/// The whole comparison: `outcome` of the workers that took turns, with memory from those that ran undisturbed.
pub(crate) fn comparison(mut outcome: Outcome, undisturbed: &Outcome, place: &Place<'_>) -> (Outcome, String) {
    let taken = outcome.take_memory(undisturbed);
    let origin = [
        format!("{}: {}", how(&outcome, "throughput and time", |case| case.time_from), place.record(TimePerUnit::NAME)),
        memory_origin(&outcome, &taken, &place.record(PeakRss::NAME)),
    ];
    let pages = place.pages().map(|page| format!("criterion's report: {page}"));
    let text = table_and_notes(&outcome) + &lines(origin.into_iter().chain(pages));
    (outcome, text)
}

fn lines(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().map(|line| line + "\n").collect()
}

/// Where memory is from, if it could be taken for these cases from the record of this name.
fn memory_origin(outcome: &Outcome, taken: &[Case], record: &str) -> String {
    let rest = outcome.cases.iter().filter(|case| !taken.contains(&case.case));
    let rest: Vec<String> = rest.map(|case| case.case.to_string()).collect();
    if taken.is_empty() {
        return format!("{}; none of it is whole in {record}", how(outcome, "peak RSS", |case| case.memory_from));
    }
    let exception = if rest.is_empty() { String::new() } else { format!("; of {} from the turns", rest.join(", ")) };
    format!("peak RSS: from workers that ran undisturbed: {record}{exception}")
}

/// How the samples were made that a column is from.
fn how(outcome: &Outcome, column: &str, from: impl Fn(&CaseOutcome) -> Option<Arrangement>) -> String {
    let made = |arrangement| outcome.cases.iter().any(|case| from(case) == Some(arrangement));
    let how = match (made(Arrangement::Turns), made(Arrangement::Alone)) {
        (true, true) => "workers that took turns, or ran one after another where they did not fit into memory",
        (true, false) => "workers that took turns",
        (false, true) => "workers that ran one after another",
        (false, false) => "nothing",
    };
    format!("{column}: from {how}")
}

#[cfg(test)]
mod tests {
    use heapmark::record::Record;

    use super::*;

    fn outcome(workloads: &[&str]) -> Outcome {
        let cases = workloads.iter().map(|workload| CaseOutcome {
            time_from: Some(Arrangement::Turns),
            memory_from: Some(Arrangement::Turns),
            ..CaseOutcome::of(&Record::default(), &Case::new(*workload))
        });
        Outcome { reference: "system".into(), margin: 0.01, cases: cases.collect(), alarms: Vec::new() }
    }

    #[test]
    fn where_a_column_is_from_is_said() {
        let mut two = outcome(&["a/b", "a/c"]);
        let origin = |taken: &[&str]| {
            let taken: Vec<Case> = taken.iter().map(|workload| Case::new(*workload)).collect();
            memory_origin(&outcome(&["a/b", "a/c"]), &taken, "peak_rss.jsonl")
        };
        assert_eq!(origin(&[]), "peak RSS: from workers that took turns; none of it is whole in peak_rss.jsonl");
        let undisturbed = "peak RSS: from workers that ran undisturbed: peak_rss.jsonl";
        assert_eq!(origin(&["a/b"]), format!("{undisturbed}; of a/c from the turns"));
        assert_eq!(origin(&["a/b", "a/c"]), undisturbed);
        assert_eq!(how(&two, "x", |case| case.time_from), "x: from workers that took turns");
        two.cases[0].time_from = Some(Arrangement::Alone);
        assert!(how(&two, "x", |case| case.time_from).contains(", or ran one after another"));
    }
}

//! Who stands where: the front of time and memory, workload by workload and over all, and an order by weights.
//!
//! Time and memory are never mixed, except by weights that someone states.

use serde::{Deserialize, Serialize};

use crate::outcome::{CaseOutcome, Metric, Outcome};
use crate::record::Record;
use crate::stats::{Cost, Verdict, geometric_mean, pareto_front, weighted_ranking};
use crate::{Case, Error, Quantity, Status};

/// How much each quantity says in an order. There are no default ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Weights(Vec<(Quantity, f64)>);

impl Weights {
    /// These weights; those of zero have no say. Fails where none is positive, one is negative or no number, a quantity has
    /// two, or has no ratio.
    pub fn new(weights: impl IntoIterator<Item = (Quantity, f64)>) -> Result<Self, Error> {
        let weights: Vec<(Quantity, f64)> = weights.into_iter().collect();
        let wrong = |what: String| Err(Error::Usage(what));
        for (index, (quantity, weight)) in weights.iter().enumerate() {
            if !(*weight >= 0.0 && weight.is_finite()) {
                return wrong(format!("a weight of {weight}: give a number of at least 0"));
            }
            if quantity.metric().is_none() {
                return wrong(format!("{quantity} has no ratio to the reference, so it cannot be weighed"));
            }
            if weights[..index].iter().any(|(other, _)| other == quantity) {
                return wrong(format!("{quantity} has two weights"));
            }
        }
        let weights: Vec<_> = weights.into_iter().filter(|(_, weight)| *weight > 0.0).collect();
        if weights.is_empty() { wrong("no weight is above 0".into()) } else { Ok(Self(weights)) }
    }

    /// What has a say, and how much.
    pub fn pairs(&self) -> &[(Quantity, f64)] {
        &self.0
    }
}

/// Whether anything is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Where {
    /// Nothing else is as good in both time and memory and better in one.
    Front,
    /// Something else is, and the intervals say so.
    Beaten,
    /// Something else is by its estimates, but the intervals do not say so.
    Unclear,
}

/// Where one contender stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// Its name.
    pub contender: String,
    /// `ok`, or how it failed; it stands nowhere then.
    #[serde(flatten)]
    pub status: Status,
    /// Its time ÷ the reference's.
    pub time: Option<f64>,
    /// Its peak resident memory ÷ the reference's.
    pub memory: Option<f64>,
    /// Whether anything is better.
    pub front: Option<Where>,
    /// What is better, if anything: the quickest of those.
    pub beaten_by: Option<String>,
    /// The geometric mean of its ratios by the weights; less is better.
    pub score: Option<f64>,
    /// Its place by that, from 1.
    pub place: Option<usize>,
    /// Whether no difference to the one before it in the order is called, on anything that has a weight.
    pub tied: bool,
}

/// Where everyone stands in a case, or over all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The case; absent over all.
    pub case: Option<Case>,
    /// By score where there are weights, else by time; those that stand nowhere last.
    pub places: Vec<Place>,
}

/// Where everyone stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standings {
    /// The contender that ratios are to.
    pub reference: String,
    /// The margin of the verdicts.
    pub margin: f64,
    /// What time is: CPU time or wall time.
    pub time: Quantity,
    /// What decides the order, if anything.
    pub weights: Option<Weights>,
    /// Case by case.
    pub cases: Vec<Standing>,
    /// Over the cases in which all stand, by the geometric means of their ratios; absent where there is none.
    pub overall: Option<Standing>,
    /// The cases that this is over.
    pub shared: Vec<Case>,
    /// Those that it is not over, because someone has no ratio there.
    pub left_out: Vec<Case>,
}

/// One record, seen by every contender as the reference.
struct Seen<'a> {
    outcome: &'a Outcome,
    others: Vec<Outcome>,
}

/// A case of one of the records.
#[derive(Clone, Copy)]
struct Cell<'a> {
    case: &'a CaseOutcome,
    seen: &'a Seen<'a>,
}

impl<'a> Seen<'a> {
    /// Judges a record once more for each contender, which is sound since the blocks pair any two of them.
    fn new(record: &Record, outcome: &'a Outcome) -> Result<Self, Error> {
        let mut names: Vec<&str> = Vec::new();
        for contender in outcome.cases.iter().flat_map(|case| &case.contenders) {
            if contender.name != outcome.reference && !names.contains(&contender.name.as_str()) {
                names.push(&contender.name);
            }
        }
        let judge = |name: &&str| Outcome::judged(record, Some(name), Some(outcome.margin));
        let others = names.iter().map(judge).collect::<Result<_, _>>()?;
        Ok(Self { outcome, others })
    }
}

impl Cell<'_> {
    /// How `ours` compares with `theirs`.
    fn verdict(&self, ours: &str, theirs: &str, metric: Metric) -> Verdict {
        let mut outcomes = std::iter::once(self.seen.outcome).chain(&self.seen.others);
        let by_theirs = outcomes.find(|outcome| outcome.reference == theirs);
        let case = by_theirs.and_then(|outcome| outcome.cases.iter().find(|case| case.case == self.case.case));
        let compared = case.and_then(|case| case.contender(ours)).and_then(|contender| contender.compared(metric));
        compared.map_or(Verdict::Unclear, |compared| compared.verdict)
    }

    fn ratio(&self, contender: &str, metric: Metric) -> Option<f64> {
        let contender = self.case.contender(contender).filter(|contender| contender.status.is_ok())?;
        if contender.name == self.seen.outcome.reference {
            let measured = match metric {
                Metric::Wall => contender.throughput.is_some(),
                Metric::Cpu => contender.cpu_per_unit_ns.is_some(),
                Metric::PeakRss => contender.peak_rss.is_some(),
                Metric::Retained => contender.over_time.as_ref().is_some_and(|memory| memory.retained.is_some()),
                latency => contender.served.as_ref().is_some_and(|served| served.latency_of(latency).is_some()),
            };
            return measured.then_some(1.0);
        }
        contender.compared(metric).map(|compared| compared.estimate.ratio)
    }

    /// Whether the intervals say that `ours` is better than `theirs` in one of time and memory, and no worse in the other.
    fn beats(&self, ours: &str, theirs: &str, time: Metric) -> bool {
        let time = self.verdict(ours, theirs, time);
        let memory = self.verdict(ours, theirs, Metric::PeakRss);
        (is_better(time) && (is_better(memory) || memory == Verdict::Same))
            || (is_better(memory) && time == Verdict::Same)
    }
}

fn is_better(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Faster | Verdict::Leaner)
}

impl Standings {
    /// Where everyone stands in these outcomes, each with the record that it is of. `time` is CPU time or wall time.
    ///
    /// The outcomes must have the same reference, and be of records that may stand side by side.
    pub fn of(parts: &[(&Record, &Outcome)], time: Quantity, weights: Option<&Weights>) -> Result<Self, Error> {
        let seen: Vec<Seen<'_>> =
            parts.iter().map(|(record, outcome)| Seen::new(record, outcome)).collect::<Result<_, _>>()?;
        let cells: Vec<Cell<'_>> =
            seen.iter().flat_map(|seen| seen.outcome.cases.iter().map(move |case| Cell { case, seen })).collect();
        let ranks = Ranks { time: time.metric().unwrap_or(Metric::Cpu), weights };
        let first = parts.first().map(|(_, outcome)| *outcome);
        let names = names(&cells);
        // Someone who failed everywhere would leave nothing to compare the others by.
        let alive: Vec<&str> =
            names.iter().copied().filter(|name| cells.iter().any(|cell| ranks.takes_part(cell, name))).collect();
        let (shared, left_out): (Vec<Cell<'_>>, Vec<Cell<'_>>) =
            cells.iter().partition(|cell| alive.iter().all(|name| ranks.takes_part(cell, name)));
        let overall = (!shared.is_empty()).then(|| Standing { case: None, places: ranks.places(&names, &shared) });
        let of_case = |cell: &Cell<'_>| {
            let names: Vec<&str> = cell.case.contenders.iter().map(|contender| contender.name.as_str()).collect();
            Standing { case: Some(cell.case.case.clone()), places: ranks.places(&names, std::slice::from_ref(cell)) }
        };
        let cases_of = |cells: &[Cell<'_>]| cells.iter().map(|cell| cell.case.case.clone()).collect();
        Ok(Self {
            reference: first.map(|outcome| outcome.reference.clone()).unwrap_or_default(),
            margin: first.map_or(0.0, |outcome| outcome.margin),
            time,
            weights: weights.cloned(),
            cases: cells.iter().map(of_case).collect(),
            shared: cases_of(&shared),
            left_out: cases_of(&left_out),
            overall,
        })
    }
}

fn names<'a>(cells: &[Cell<'a>]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for contender in cells.iter().flat_map(|cell| &cell.case.contenders) {
        if !names.contains(&contender.name.as_str()) {
            names.push(&contender.name);
        }
    }
    names
}

/// By what contenders are put in order.
#[derive(Clone, Copy)]
struct Ranks<'a> {
    time: Metric,
    weights: Option<&'a Weights>,
}

impl Ranks<'_> {
    /// The metrics that a contender must have a ratio of.
    fn metrics(&self) -> impl Iterator<Item = Metric> {
        let weighed =
            self.weights.into_iter().flat_map(|weights| weights.pairs().iter().filter_map(|(q, _)| q.metric()));
        [self.time, Metric::PeakRss].into_iter().chain(weighed)
    }

    fn takes_part(&self, cell: &Cell<'_>, name: &str) -> bool {
        self.metrics().all(|metric| cell.ratio(name, metric).is_some())
    }

    /// The places over these cells, of which each contender must take part in all to have one.
    fn places(&self, names: &[&str], cells: &[Cell<'_>]) -> Vec<Place> {
        let mean = |name: &str, metric: Metric| {
            let ratios: Option<Vec<f64>> = cells.iter().map(|cell| cell.ratio(name, metric)).collect();
            geometric_mean(&ratios?)
        };
        let mut places: Vec<Place> = names
            .iter()
            .map(|name| Place {
                contender: (*name).to_owned(),
                status: status(name, cells),
                time: mean(name, self.time),
                memory: mean(name, Metric::PeakRss),
                front: None,
                beaten_by: None,
                score: None,
                place: None,
                tied: false,
            })
            .collect();
        self.find_front(&mut places, cells);
        places.sort_by(|a, b| by_number(a.time, b.time));
        if let Some(weights) = self.weights {
            order(&mut places, weights, cells, &mean);
        }
        places
    }

    fn find_front(&self, places: &mut [Place], cells: &[Cell<'_>]) {
        let costs: Vec<Cost> = places
            .iter()
            .map(|place| Cost { time: place.time.unwrap_or(f64::NAN), memory: place.memory.unwrap_or(f64::NAN) })
            .collect();
        let front = pareto_front(&costs);
        let measured: Vec<usize> = (0..places.len())
            .filter(|&index| costs[index].time.is_finite() && costs[index].memory.is_finite())
            .collect();
        let name = |index: usize| places[index].contender.as_str();
        let better_of = |index: usize, is_better: &dyn Fn(usize) -> bool| {
            let others = measured.iter().copied().filter(|&other| other != index && is_better(other));
            others.min_by(|&a, &b| costs[a].time.total_cmp(&costs[b].time))
        };
        let found: Vec<(usize, Where, Option<String>)> = measured
            .iter()
            .map(|&index| {
                let by_estimate = |other: usize| {
                    let (ours, theirs) = (costs[index], costs[other]);
                    theirs.time <= ours.time && theirs.memory <= ours.memory && theirs != ours
                };
                let called = |other: usize| match cells {
                    [cell] => cell.beats(name(other), name(index), self.time),
                    // A mean has no verdict; some workload must at least call a difference that it rests on.
                    _ => {
                        by_estimate(other)
                            && cells.iter().any(|cell| {
                                let verdict = |metric| cell.verdict(name(other), name(index), metric);
                                is_better(verdict(self.time)) || is_better(verdict(Metric::PeakRss))
                            })
                    }
                };
                let (place, by) = match better_of(index, &called) {
                    Some(other) => (Where::Beaten, Some(other)),
                    None if front.contains(&index) => (Where::Front, None),
                    None => (Where::Unclear, better_of(index, &by_estimate)),
                };
                (index, place, by.map(|other| name(other).to_owned()))
            })
            .collect();
        for (index, place, by) in found {
            places[index].front = Some(place);
            places[index].beaten_by = by;
        }
    }
}

/// Puts the places in order by the weights, and marks those that no called difference parts from the one before.
fn order(places: &mut [Place], weights: &Weights, cells: &[Cell<'_>], mean: &dyn Fn(&str, Metric) -> Option<f64>) {
    let ratios = |place: &Place| -> Vec<Option<f64>> {
        weights.pairs().iter().map(|(quantity, _)| mean(&place.contender, quantity.metric()?)).collect()
    };
    let rows: Vec<Vec<Option<f64>>> = places.iter().map(ratios).collect();
    let numbers: Vec<f64> = weights.pairs().iter().map(|(_, weight)| *weight).collect();
    for ranked in weighted_ranking(&rows, &numbers).unwrap_or_default() {
        places[ranked.contender].score = Some(ranked.score);
        places[ranked.contender].place = Some(ranked.place);
    }
    places.sort_by(|a, b| by_number(a.score, b.score));
    let parted = |a: &str, b: &str| {
        let mut metrics = weights.pairs().iter().filter_map(|(quantity, _)| quantity.metric());
        metrics.any(|metric| cells.iter().any(|cell| cell.verdict(b, a, metric).is_difference()))
    };
    for index in 1..places.len() {
        let (before, this) = (&places[index - 1], &places[index]);
        let tied = this.score.is_some() && !parted(&before.contender, &this.contender);
        places[index].tied = tied;
    }
}

/// Ascending, what is absent last.
fn by_number(a: Option<f64>, b: Option<f64>) -> std::cmp::Ordering {
    a.is_none().cmp(&b.is_none()).then(a.unwrap_or(0.0).total_cmp(&b.unwrap_or(0.0)))
}

/// The first failure in these cells.
fn status(name: &str, cells: &[Cell<'_>]) -> Status {
    let statuses = cells.iter().filter_map(|cell| cell.case.contender(name)).map(|contender| &contender.status);
    statuses.into_iter().find(|status| !status.is_ok()).cloned().unwrap_or(Status::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{BlockRow, ContenderRow, Role, Row, Sample, Turns};
    use crate::{Arrangement, Bytes};

    /// A contender's name, time and memory.
    type Multiples = (&'static str, f64, f64);

    /// Twelve blocks for each case, in which contenders have exactly these multiples of the reference's time and memory,
    /// but for a scatter, which is given in parts of the value.
    fn record(cases: &[(&str, &[Multiples])], scatter: f64) -> Record {
        let mut record = Record::default();
        for (index, (name, _, _)) in cases[0].1.iter().enumerate() {
            let role = if index == 0 { Role::Reference } else { Role::Contender };
            let name = (*name).to_owned();
            record.contenders.push(ContenderRow {
                backend: name.clone(),
                name,
                role,
                status: Status::Ok,
                set: Vec::new(),
                identity: None,
            });
        }
        let arrangement = Arrangement::Turns;
        let mut rng = fastrand::Rng::with_seed(3);
        for (workload, contenders) in cases {
            let case = Case::new(*workload);
            for block in 0..12 {
                for (index, (name, time, memory)) in contenders.iter().enumerate() {
                    let role = if index == 0 { Role::Reference } else { Role::Contender };
                    let mut near = |value: f64| value * (1.0 + scatter * (rng.f64() - 0.5));
                    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and positive")]
                    let (ns, peak) = ((near(*time) * 1e6) as u64, (near(*memory) * 1e9) as u64);
                    let turns = Turns {
                        wall_ns: vec![ns],
                        user_ns: vec![ns],
                        system_ns: vec![0],
                        idle_cpu_ns: vec![0],
                        ..Turns::default()
                    };
                    record.push(Row::Sample(Box::new(Sample {
                        units: 10,
                        wall_ns: ns,
                        user_ns: ns,
                        peak_rss: Some(Bytes(peak)),
                        turns,
                        ..Sample::new(case.clone(), name, role, block, arrangement)
                    })));
                }
                record.push(Row::Block(BlockRow { case: case.clone(), block, arrangement, wall_ns: 1, timed_ns: 1 }));
            }
        }
        record
    }

    fn standings(record: &Record, weights: Option<&Weights>) -> Standings {
        let outcome = Outcome::of(record);
        Standings::of(&[(record, &outcome)], Quantity::Cpu, weights).unwrap()
    }

    fn seen(standing: &Standing) -> Vec<(&str, Option<Where>, Option<&str>)> {
        standing.places.iter().map(|p| (p.contender.as_str(), p.front, p.beaten_by.as_deref())).collect()
    }

    #[test]
    fn the_front_is_what_nothing_beats() {
        let contenders = [("system", 1.0, 1.0), ("quick", 0.5, 2.0), ("lean", 2.0, 0.5), ("bad", 2.5, 3.0)];
        let standings = standings(&record(&[("a/b", &contenders)], 0.001), None);
        let expected = [
            ("quick", Some(Where::Front), None),
            ("system", Some(Where::Front), None),
            ("lean", Some(Where::Front), None),
            ("bad", Some(Where::Beaten), Some("quick")),
        ];
        assert_eq!(seen(&standings.cases[0]), expected);
        assert_eq!(seen(standings.overall.as_ref().unwrap()), expected);
    }

    #[test]
    fn what_noise_could_have_made_is_not_called_beaten() {
        let contenders = [("system", 1.0, 1.0), ("other", 1.02, 1.02)];
        let noisy = standings(&record(&[("a/b", &contenders)], 0.5), None);
        let fronts: Vec<_> = noisy.cases[0].places.iter().map(|place| place.front).collect();
        assert!(!fronts.contains(&Some(Where::Beaten)), "{noisy:?}");
        let quiet = standings(&record(&[("a/b", &contenders)], 0.001), None);
        assert_eq!(seen(&quiet.cases[0])[1], ("other", Some(Where::Beaten), Some("system")));
    }

    #[test]
    fn less_than_the_margin_saves_nobody() {
        // Half a per cent less time, within the margin, for twice the memory.
        let contenders = [("system", 1.0, 1.0), ("other", 0.995, 2.0)];
        let standings = standings(&record(&[("a/b", &contenders)], 0.0), None);
        assert_eq!(seen(&standings.cases[0])[0], ("other", Some(Where::Beaten), Some("system")));
    }

    #[test]
    fn means_are_over_what_all_have() {
        let both = [("system", 1.0, 1.0), ("other", 2.0, 1.0)];
        let mut record = record(&[("a/b", &both), ("a/c", &[("system", 1.0, 1.0), ("other", 8.0, 1.0)])], 0.001);
        let of_both = standings(&record, None);
        let time = |standings: &Standings| standings.overall.as_ref().unwrap().places[1].time.unwrap();
        assert!((time(&of_both) - 4.0).abs() < 0.05, "the geometric mean of 2 and 8");
        let failed = record.samples.iter_mut().find(|s| s.case.workload == "a/c" && s.contender == "other").unwrap();
        failed.status = Status::Timeout { detail: "in a test".into() };
        let of_one = standings(&record, None);
        assert!((time(&of_one) - 2.0).abs() < 0.05);
        assert_eq!((of_one.shared, of_one.left_out), (vec![Case::new("a/b")], vec![Case::new("a/c")]));
        let dead = of_one.cases[1].places.last().unwrap();
        assert_eq!((dead.contender.as_str(), dead.front, dead.status.is_ok()), ("other", None, false));
    }

    #[test]
    fn who_failed_everywhere_does_not_hide_the_others() {
        let contenders = [("system", 1.0, 1.0), ("other", 2.0, 1.0), ("dead", 1.0, 1.0)];
        let mut record = record(&[("a/b", &contenders)], 0.001);
        for sample in record.samples.iter_mut().filter(|sample| sample.contender == "dead") {
            sample.status = Status::Timeout { detail: "in a test".into() };
        }
        let standings = standings(&record, None);
        let overall = standings.overall.unwrap();
        assert_eq!(seen(&overall)[2], ("dead", None, None));
        assert_eq!(seen(&overall)[0].0, "system");
    }

    #[test]
    fn weights_order_and_ties_are_marked() {
        let contenders = [("system", 1.0, 1.0), ("same", 1.001, 1.001), ("quick", 0.5, 2.0)];
        let weights = |time, memory| Weights::new([(Quantity::Throughput, time), (Quantity::PeakRss, memory)]).unwrap();
        let order = |weights: &Weights| {
            let standings = standings(&record(&[("a/b", &contenders)], 0.0), Some(weights));
            let places = &standings.overall.unwrap().places;
            places.iter().map(|p| (p.contender.clone(), p.place.unwrap(), p.tied)).collect::<Vec<_>>()
        };
        let row = |name: &str, place, tied| (name.to_owned(), place, tied);
        let time_first = order(&weights(2.0, 1.0));
        assert_eq!(time_first, [row("quick", 1, false), row("system", 2, false), row("same", 3, true)]);
        let memory_first = order(&weights(1.0, 2.0));
        assert_eq!(memory_first, [row("system", 1, false), row("same", 2, true), row("quick", 3, false)]);
    }

    #[test]
    fn weights_that_say_nothing_are_refused() {
        let of = |pairs: &[(Quantity, f64)]| Weights::new(pairs.iter().copied()).map_err(|error| error.to_string());
        for (pairs, hint) in [
            (&[][..], "no weight"),
            (&[(Quantity::Cpu, 0.0)], "no weight"),
            (&[(Quantity::Cpu, -1.0)], "at least 0"),
            (&[(Quantity::Slope, 1.0)], "no ratio"),
            (&[(Quantity::Cpu, f64::NAN)], "at least 0"),
            (&[(Quantity::Cpu, 1.0), (Quantity::Cpu, 2.0)], "two weights"),
        ] {
            assert!(of(pairs).unwrap_err().contains(hint), "{pairs:?}");
        }
        assert_eq!(of(&[(Quantity::Cpu, 1.0), (Quantity::Wall, 0.0)]).unwrap().pairs(), [(Quantity::Cpu, 1.0)]);
    }
}

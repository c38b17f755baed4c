//! A run second by second: what throughput and memory were after each turn of a sample.

use serde::{Deserialize, Serialize};

use crate::outcome::{CaseOutcome, Outcome};
use crate::over_time::{drift_of, slope_of};
use crate::record::{Record, Sample};
use crate::stats::{Drift, Slope, median};
use crate::{Arrangement, Bytes, Case, Nanos};

/// The contenders of a case over their samples' time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The case.
    pub case: Case,
    /// What one unit is, in the singular.
    pub unit: String,
    /// How the samples were made: undisturbed ones, where there are any.
    pub arrangement: Arrangement,
    /// In the order of the outcome.
    pub contenders: Vec<SeriesOfContender>,
}

/// One contender over its samples' time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesOfContender {
    /// Its name.
    pub name: String,
    /// Medians over the samples, of neighbouring turns together, so that there are at most [`Series::MOST`].
    pub points: Vec<Point>,
    /// Whether throughput keeps up.
    pub drift: Option<Drift>,
    /// Whether memory grows.
    pub slope: Option<Slope>,
}

/// A point of a series.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Time inside turns since the first of them began.
    pub time: Nanos,
    /// Units per second of wall time since the point before.
    pub per_second: Option<f64>,
    /// Resident memory at that time.
    pub rss: Option<Bytes>,
}

impl Series {
    /// The most points of a series.
    pub const MOST: usize = 20;

    /// Every case with a sample of two turns or more. `record` is what the outcome is of.
    pub fn of(record: &Record, outcome: &Outcome) -> Vec<Self> {
        outcome.cases.iter().filter_map(|case| Self::of_case(record, case)).collect()
    }

    fn of_case(record: &Record, case: &CaseOutcome) -> Option<Self> {
        let measured = case.contenders.iter().filter(|contender| contender.status.is_ok());
        let mut arrangement = None;
        let mut contenders = Vec::new();
        for contender in measured {
            let samples = calmest(record, &case.case, &contender.name);
            let Some(first) = samples.first() else { continue };
            arrangement = Some(first.arrangement);
            let (name, points) = (contender.name.clone(), points(&samples));
            contenders.push(SeriesOfContender { name, points, drift: drift_of(&samples), slope: slope_of(&samples) });
        }
        let (case, unit, arrangement) = (case.case.clone(), case.unit.clone(), arrangement?);
        Some(Self { case, unit, arrangement, contenders })
    }
}

/// The samples of a contender of two turns or more: those that ran undisturbed, or else those that took turns.
fn calmest<'a>(record: &'a Record, case: &'a Case, contender: &str) -> Vec<&'a Sample> {
    let made = |arrangement: Arrangement| -> Vec<&Sample> {
        let ours =
            record.counting_samples(case).filter(|sample| sample.contender == contender && sample.status.is_ok());
        ours.filter(|sample| sample.arrangement == arrangement && sample.turns.wall_ns.len() > 1).collect()
    };
    [Arrangement::Alone, Arrangement::Turns]
        .into_iter()
        .map(made)
        .find(|samples| !samples.is_empty())
        .unwrap_or_default()
}

/// Units of each turn of a sample: all do the same.
pub(crate) fn units_of_a_turn(sample: &Sample) -> f64 {
    sample.units as f64 / sample.turns.wall_ns.len().max(1) as f64
}

/// Medians over the samples at up to [`Series::MOST`] places that divide the turns evenly.
fn points(samples: &[&Sample]) -> Vec<Point> {
    let turns = samples.iter().map(|sample| sample.turns.wall_ns.len()).min().unwrap_or(0);
    let count = turns.min(Series::MOST);
    let ends = (1..=count).map(|place| place * turns / count);
    let mut begin = 0;
    ends.map(|end| {
        let middle = |of: &dyn Fn(&Sample) -> Option<f64>| {
            median(&samples.iter().filter_map(|sample| of(sample)).collect::<Vec<_>>())
        };
        let wall =
            |sample: &Sample, from: usize| -> f64 { sample.turns.wall_ns[from..end].iter().map(|&ns| ns as f64).sum() };
        let point = Point {
            time: Nanos(whole(middle(&|sample| Some(wall(sample, 0))).unwrap_or(0.0))),
            per_second: middle(&|sample| {
                let per_second = units_of_a_turn(sample) * (end - begin) as f64 * 1e9 / wall(sample, begin);
                Some(per_second).filter(|per_second| per_second.is_finite())
            }),
            rss: middle(&|sample| sample.turns.rss.get(end - 1).map(|rss| rss.0 as f64)).map(|rss| Bytes(whole(rss))),
        };
        begin = end;
        point
    })
    .collect()
}

/// A number of nanoseconds or bytes; a half is cut.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "neither is negative, and what is too large is cut"
)]
fn whole(value: f64) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Role, Turns};

    const MIB: u64 = 1 << 20;

    /// A sample whose turns take longer and longer, and need more and more.
    fn sample(turns: u64, block: u32) -> Sample {
        let turns = Turns {
            wall_ns: (1..=turns).map(|turn| turn * 1_000_000).collect(),
            rss: (1..=turns).map(|turn| Bytes(turn * MIB)).collect(),
            ..Turns::default()
        };
        let units = 10 * turns.wall_ns.len() as u64;
        let sample = Sample::new(Case::new("a/b"), "one", Role::Contender, block, Arrangement::Alone);
        Sample { units, turns, ..sample }
    }

    #[test]
    fn few_turns_are_a_point_each() {
        let sample = sample(4, 0);
        let points = points(&[&sample]);
        let times: Vec<u64> = points.iter().map(|point| point.time.0).collect();
        assert_eq!(times, [1_000_000, 3_000_000, 6_000_000, 10_000_000]);
        assert_eq!(points[1].per_second, Some(5000.0));
        assert_eq!(points[3].rss, Some(Bytes(4 * MIB)));
    }

    #[test]
    fn many_turns_share_points_and_none_is_left_out() {
        for turns in [19, 20, 21, 60, 61, 100] {
            let samples = [sample(turns, 0), sample(turns, 1)];
            let points = points(&samples.iter().collect::<Vec<_>>());
            assert!(points.len() <= Series::MOST && !points.is_empty());
            let last = points[points.len() - 1];
            assert_eq!(last.time.0, turns * (turns + 1) / 2 * 1_000_000, "{turns}");
            assert_eq!(last.rss, Some(Bytes(turns * MIB)));
            assert!(points.windows(2).all(|pair| pair[0].per_second > pair[1].per_second), "{points:?}");
        }
    }

    #[test]
    fn what_was_not_read_is_absent() {
        let mut sample = sample(3, 0);
        sample.turns.rss.clear();
        sample.turns.wall_ns[1] = 0;
        let points = points(&[&sample]);
        assert!(points.iter().all(|point| point.rss.is_none()));
        assert_eq!((points[0].per_second, points[1].per_second), (Some(10_000.0), None));
        assert_eq!(super::points(&[]), []);
    }
}

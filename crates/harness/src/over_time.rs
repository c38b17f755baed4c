//! What a contender's memory does over time: what it keeps when everything is dropped, how long it keeps it, and whether
//! it grows from turn to turn.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::outcome::Compared;
use crate::record::{CountsRow, MemoryRow, Sample};
use crate::stats::{Drift, GROWTH_MARGIN, Growth, Slope, median};
use crate::{Bytes, Nanos};

/// Memory over time of one contender in one case, from samples that ran undisturbed. Sizes are medians over them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OverTime {
    /// Resident memory when the work was done and what it keeps was still alive.
    pub worked: Option<Bytes>,
    /// Resident memory when everything was dropped.
    pub drained: Option<Bytes>,
    /// Resident memory after each quiet time that followed.
    pub settled: Vec<Settled>,
    /// How much of the last of these was given back with `MADV_FREE`, so that the kernel may take it when it needs it.
    pub lazy_free: Option<Bytes>,
    /// What is left of the peak at the last reading after everything was dropped, both above what the worker needed at its
    /// greeting: from 0 to 1.
    pub retained: Option<f64>,
    /// The same against the reference.
    pub retained_against: Option<Compared>,
    /// When half of the peak was given back.
    pub half_returned: Option<HalfReturned>,
    /// Peak resident memory, less what the idle `system` worker needs, ÷ the peak of live bytes that was counted; absent
    /// where that is below [`LEAST_LIVE`] or was not counted.
    pub blow_up: Option<f64>,
    /// Whether resident memory grows from turn to turn.
    pub slope: Option<Slope>,
    /// Whether throughput keeps up from turn to turn.
    #[serde(default)]
    pub drift: Option<Drift>,
}

/// Resident memory after a quiet time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// The quiet time since everything was dropped.
    pub after: Nanos,
    /// What was resident then.
    pub rss: Bytes,
}

/// When half of the peak, above what the worker needed at its greeting, had been given back to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HalfReturned {
    /// At the first reading after so much quiet time that found it; zero where dropping everything did it.
    After(Nanos),
    /// Not by the last reading, after so much quiet time.
    NotWithin(Nanos),
}

impl fmt::Display for HalfReturned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::After(Nanos(0)) => f.pad("at once"),
            Self::After(quiet) => f.pad(&quiet.to_string()),
            Self::NotWithin(Nanos(0)) => f.pad("not at once"),
            Self::NotWithin(quiet) => f.pad(&format!("> {quiet}")),
        }
    }
}

/// Live bytes below which a blow-up says more of an allocator's start than of its heap.
pub const LEAST_LIVE: Bytes = Bytes(4 << 20);

/// Below this share of the peak, what is left is as good as nothing: it is within what the kernel's counters and the pages of
/// the program itself make.
pub const LEAST_RETAINED: f64 = 0.01;

impl OverTime {
    /// What these samples of one contender say. `base` is what the idle `system` worker needs.
    pub(crate) fn of(samples: &[&Sample], counts: Option<&CountsRow>, base: Option<Bytes>) -> Self {
        let phase = |name: &str| middle(samples.iter().map(|sample| rss(sample.memory.get(name)?)));
        let peak = middle(samples.iter().map(|sample| sample.peak_rss));
        Self {
            worked: phase("worked"),
            drained: phase("drained"),
            settled: settled(samples),
            lazy_free: middle(samples.iter().map(|sample| last_reading(sample)?.lazy_free)),
            retained: median(&samples.iter().filter_map(|sample| retained(sample)).collect::<Vec<_>>()),
            retained_against: None,
            half_returned: half_returned(samples),
            blow_up: blow_up(peak, base, counts.filter(|counts| counts.status.is_ok()).and_then(|c| c.peak_live)),
            slope: slope_of(samples),
            drift: drift_of(samples),
        }
    }
}

fn rss(row: &MemoryRow) -> Option<Bytes> {
    row.rss
}

/// The median of sizes; of an even number the upper one in the middle, so that it is a size that was read.
fn middle(sizes: impl Iterator<Item = Option<Bytes>>) -> Option<Bytes> {
    let mut sizes: Vec<Bytes> = sizes.flatten().collect();
    sizes.sort_unstable();
    sizes.get(sizes.len() / 2).copied()
}

/// The median at each quiet time that all samples have.
fn settled(samples: &[&Sample]) -> Vec<Settled> {
    let Some(first) = samples.first() else { return Vec::new() };
    let at = |sample: &&Sample, after_ms: u64| sample.settled.iter().find(|row| row.after_ms == after_ms)?.memory.rss;
    let moments = first.settled.iter().map(|row| row.after_ms);
    moments
        .filter_map(|after_ms| {
            let rss = middle(samples.iter().map(|sample| at(sample, after_ms)))?;
            Some(Settled { after: milliseconds(after_ms), rss })
        })
        .collect()
}

fn milliseconds(ms: u64) -> Nanos {
    Nanos(ms.saturating_mul(1_000_000))
}

/// What was read last, after the longest quiet time there was.
pub fn last_reading(sample: &Sample) -> Option<&MemoryRow> {
    sample.settled.last().map(|row| &row.memory).or_else(|| sample.memory.get("drained"))
}

/// What is left of the peak at the last reading after everything was dropped: both are counted above what the worker needed
/// at its greeting, of which nothing can be given back. From 0 to 1; nothing where the peak is not above that.
pub fn retained(sample: &Sample) -> Option<f64> {
    Some(share_left(sample, last_reading(sample)?.rss?)?.clamp(0.0, 1.0))
}

fn share_left(sample: &Sample, rss: Bytes) -> Option<f64> {
    let (start, peak) = (sample.start_rss?.0, sample.peak_rss?.0);
    (peak > start).then(|| rss.0.saturating_sub(start) as f64 / (peak - start) as f64)
}

/// The median over the samples, of an even number the later one in the middle. A sample that never gave half of it back
/// comes after all that did.
fn half_returned(samples: &[&Sample]) -> Option<HalfReturned> {
    let of_sample = |sample: &&Sample| {
        let drained = sample.memory.get("drained").map(|row| (0, row.rss));
        let readings = drained.into_iter().chain(sample.settled.iter().map(|row| (row.after_ms, row.memory.rss)));
        let shares: Vec<(u64, f64)> =
            readings.filter_map(|(after, rss)| Some((after, share_left(sample, rss?)?))).collect();
        let last = shares.last()?.0;
        let found = shares.iter().find(|(_, share)| *share <= 0.5);
        Some(found.map_or((1, last), |(after, _)| (0, *after)))
    };
    let mut all: Vec<(u8, u64)> = samples.iter().filter_map(of_sample).collect();
    all.sort_unstable();
    let (never, after_ms) = *all.get(all.len() / 2)?;
    let after = milliseconds(after_ms);
    Some(if never == 1 { HalfReturned::NotWithin(after) } else { HalfReturned::After(after) })
}

fn blow_up(peak: Option<Bytes>, base: Option<Bytes>, live: Option<Bytes>) -> Option<f64> {
    let live = live.filter(|live| *live >= LEAST_LIVE)?;
    Some(peak?.0.saturating_sub(base?.0) as f64 / live.0 as f64)
}

/// Whether memory grows, by the turns of these samples.
pub(crate) fn slope_of(samples: &[&Sample]) -> Option<Slope> {
    let growths: Vec<Growth> = samples.iter().filter_map(|sample| growth(sample)).collect();
    Slope::of(&growths, GROWTH_MARGIN)
}

/// Whether throughput keeps up, by the turns of these samples. Every turn does the same units, so its throughput is as its
/// time turned over; there was an untimed turn before them, so none is left out as warm-up.
pub(crate) fn drift_of(samples: &[&Sample]) -> Option<Drift> {
    let curve = |sample: &&Sample| -> Vec<f64> { sample.turns.wall_ns.iter().map(|&ns| 1e9 / ns as f64).collect() };
    let growths: Vec<Growth> = samples.iter().filter_map(|sample| Growth::from_the_start(&curve(sample))).collect();
    Drift::of(&growths, GROWTH_MARGIN)
}

/// The growth of one sample, where memory was read after each of its turns.
fn growth(sample: &Sample) -> Option<Growth> {
    let turns = &sample.turns;
    let curve: Vec<f64> = turns.rss.iter().map(|rss| rss.0 as f64).collect();
    Growth::of(&curve).filter(|_| turns.rss.len() == turns.wall_ns.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Role, SettledRow, Turns};
    use crate::stats::{Pace, Trend};
    use crate::{Arrangement, Case, Status};

    const MIB: u64 = 1 << 20;

    fn memory(mib: u64) -> MemoryRow {
        MemoryRow { rss: Some(Bytes(mib * MIB)), lazy_free: Some(Bytes(MIB)), ..MemoryRow::default() }
    }

    /// A worker of 10 MiB whose peak is 110.
    fn sample(drained: u64, settled: &[(u64, u64)]) -> Sample {
        let mut sample = Sample::new(Case::new("memory/x"), "one", Role::Contender, 0, Arrangement::Alone);
        (sample.start_rss, sample.peak_rss) = (Some(Bytes(10 * MIB)), Some(Bytes(110 * MIB)));
        sample.memory.insert("worked".into(), memory(100));
        sample.memory.insert("drained".into(), memory(drained));
        let settled = settled.iter().map(|&(after_ms, mib)| SettledRow { after_ms, memory: memory(mib) });
        sample.settled = settled.collect();
        sample
    }

    fn of(samples: &[Sample]) -> OverTime {
        OverTime::of(&samples.iter().collect::<Vec<_>>(), None, None)
    }

    #[test]
    fn what_is_left_is_counted_above_the_idle_worker() {
        assert_eq!(retained(&sample(110, &[(500, 60)])), Some(0.5));
        assert_eq!(retained(&sample(35, &[])), Some(0.25), "without a quiet time, what is left at the drop");
        assert_eq!(retained(&sample(110, &[(500, 9)])), Some(0.0), "less than at the greeting is nothing");
        assert_eq!(retained(&sample(200, &[])), Some(1.0));
        let no_work = Sample { peak_rss: Some(Bytes(10 * MIB)), ..sample(10, &[]) };
        assert_eq!(retained(&no_work), None);
    }

    #[test]
    fn half_is_returned_at_the_first_reading_that_finds_it() {
        let at_once = sample(60, &[(500, 90), (5000, 20)]);
        let later = sample(110, &[(500, 61), (5000, 60)]);
        let never = sample(110, &[(500, 110), (5000, 61)]);
        let when = |samples: &[&Sample]| of(&samples.iter().map(|s| (*s).clone()).collect::<Vec<_>>()).half_returned;
        let seconds = |seconds: u64| Nanos(seconds * 1_000_000_000);
        assert_eq!(when(&[&at_once]), Some(HalfReturned::After(Nanos(0))));
        assert_eq!(when(&[&later]), Some(HalfReturned::After(seconds(5))));
        assert_eq!(when(&[&never]), Some(HalfReturned::NotWithin(seconds(5))));
        assert_eq!(when(&[&never, &at_once, &later]), Some(HalfReturned::After(seconds(5))), "the one in the middle");
        assert_eq!(when(&[&never, &at_once]), Some(HalfReturned::NotWithin(seconds(5))), "the later of two");
        assert_eq!(when(&[]), None);
        for (when, shown) in [
            (HalfReturned::After(Nanos(0)), "at once"),
            (HalfReturned::After(seconds(5)), "5.00 s"),
            (HalfReturned::NotWithin(seconds(15)), "> 15.0 s"),
        ] {
            assert_eq!(when.to_string(), shown);
        }
    }

    #[test]
    fn sizes_are_medians_at_each_moment() {
        let over_time = of(&[sample(50, &[(500, 40)]), sample(70, &[(500, 30)]), sample(60, &[(500, 20)])]);
        assert_eq!((over_time.worked, over_time.drained), (Some(Bytes(100 * MIB)), Some(Bytes(60 * MIB))));
        assert_eq!(over_time.settled, [Settled { after: Nanos(500_000_000), rss: Bytes(30 * MIB) }]);
        assert_eq!((over_time.retained, over_time.lazy_free), (Some(0.2), Some(Bytes(MIB))));
        assert_eq!(of(&[]), OverTime::default());
    }

    #[test]
    fn a_blow_up_needs_a_live_heap() {
        let counts = |live: u64, status| CountsRow {
            case: Case::new("memory/x"),
            status,
            units: 1,
            calls: 1,
            requested: Bytes(1),
            peak_live: Some(Bytes(live * MIB)),
        };
        let sample = sample(50, &[]);
        let blow_up = |counts: &CountsRow, base| OverTime::of(&[&sample], Some(counts), base).blow_up;
        let base = Some(Bytes(10 * MIB));
        assert_eq!(blow_up(&counts(40, Status::Ok), base), Some(2.5));
        assert_eq!(blow_up(&counts(3, Status::Ok), base), None);
        assert_eq!(blow_up(&counts(40, Status::Ok), None), None);
        let failed = Status::Exited { code: 1, detail: String::new() };
        assert_eq!(blow_up(&counts(40, failed), base), None);
    }

    #[test]
    fn a_curve_counts_where_every_turn_has_a_reading() {
        let grows = |readings: u64| {
            let rss = (0..readings).map(|turn| Bytes((50 + turn) * MIB)).collect();
            let turns = Turns { rss, wall_ns: vec![1; 60], ..Turns::default() };
            Sample { turns, ..sample(50, &[]) }
        };
        let slope = of(&vec![grows(60); 6]).slope.unwrap();
        assert_eq!((slope.trend, slope.samples), (Trend::Growing, 6));
        assert_eq!(of(&vec![grows(59); 6]).slope, None);
        assert_eq!(of(&vec![grows(0); 6]).slope, None);
    }

    #[test]
    fn throughput_falls_where_turns_take_longer_and_longer() {
        let turns = |wall_ns: fn(u64) -> u64| {
            let turns = Turns { wall_ns: (0..60).map(wall_ns).collect(), ..Turns::default() };
            let sample = Sample { turns, ..sample(50, &[]) };
            of(&vec![sample; 6]).drift.map(|drift| drift.pace)
        };
        assert_eq!(turns(|turn| 1_000_000 + 10_000 * turn), Some(Pace::Declining));
        assert_eq!(turns(|turn| 2_000_000 - 10_000 * turn), Some(Pace::Rising));
        assert_eq!(turns(|_| 1_000_000), Some(Pace::Steady));
        assert_eq!(turns(|_| 0), None, "a clock that did not move");
    }
}

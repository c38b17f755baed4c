//! What can be claimed to be large or small, of one sample.

use heapmark::record::{CountsRow, Sample};
use heapmark::{Arrangement, Bytes, LEAST_RETAINED, last_reading, retained};
use serde::Deserialize;

/// A number that a sample has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Quantity {
    /// Units per second of wall time.
    Throughput,
    /// Wall time of all turns.
    Wall,
    /// CPU time of all turns.
    Cpu,
    /// CPU time of a unit, in nanoseconds: for cases whose turns have other numbers of units.
    CpuPerUnit,
    /// Of this, system time.
    System,
    /// Page faults of all turns.
    Faults,
    /// Peak resident memory.
    Peak,
    /// Resident memory when the work was done.
    Worked,
    /// The share of the peak that is left at the last reading.
    Retained,
    /// Peak ÷ the peak of live bytes.
    PeakOverLive,
    /// Resident memory when the work was done ÷ the peak of live bytes.
    WorkedOverLive,
    /// At the last reading: resident memory ÷ resident memory without what was given back but not taken yet.
    SettledOverKept,
}

impl Quantity {
    /// What it is, in a word or two.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Wall => "wall time",
            Self::Cpu => "CPU time",
            Self::CpuPerUnit => "CPU time of a unit",
            Self::System => "system time",
            Self::Faults => "page faults",
            Self::Peak => "peak RSS",
            Self::Worked => "RSS after the work",
            Self::Retained => "retained",
            Self::PeakOverLive => "peak RSS ÷ live",
            Self::WorkedOverLive => "RSS after the work ÷ live",
            Self::SettledOverKept => "RSS ÷ RSS without LazyFree",
        }
    }

    /// How the samples are made that it is read from, the better way first.
    pub(crate) fn arrangements(self) -> [Arrangement; 2] {
        match self {
            Self::Throughput | Self::Wall | Self::Cpu | Self::CpuPerUnit | Self::System | Self::Faults => {
                [Arrangement::Turns, Arrangement::Alone]
            }
            _ => [Arrangement::Alone, Arrangement::Turns],
        }
    }

    /// Its value in a sample; always above zero.
    pub(crate) fn of(self, sample: &Sample, counts: Option<&CountsRow>) -> Option<f64> {
        let live = || counts.and_then(|counts| counts.peak_live);
        let value = match self {
            Self::Throughput => sample.units as f64 * 1e9 / sample.wall_ns as f64,
            Self::Wall => sample.wall_ns as f64,
            Self::Cpu => sample.cpu().0 as f64,
            Self::CpuPerUnit => sample.cpu().0 as f64 / sample.units as f64,
            Self::System => sample.system_ns as f64,
            Self::Faults => sample.minor_faults as f64,
            Self::Peak => size(sample.peak_rss)?,
            Self::Worked => worked(sample)?,
            // What is as good as nothing counts as that, as in the tables.
            Self::Retained => retained(sample)?.max(LEAST_RETAINED),
            Self::PeakOverLive => size(sample.peak_rss)? / size(live())?,
            Self::WorkedOverLive => worked(sample)? / size(live())?,
            Self::SettledOverKept => settled_over_kept(sample)?,
        };
        (value.is_finite() && value > 0.0).then_some(value)
    }
}

fn size(bytes: Option<Bytes>) -> Option<f64> {
    Some(bytes?.0 as f64)
}

fn worked(sample: &Sample) -> Option<f64> {
    size(sample.memory.get("worked")?.rss)
}

fn settled_over_kept(sample: &Sample) -> Option<f64> {
    let memory = last_reading(sample)?;
    let rss = size(memory.rss)?;
    Some(rss / (rss - size(memory.lazy_free)?))
}

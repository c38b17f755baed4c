//! What a contender's requests came to: how many a second, at what cost, how long each took, and how many failed.

use serde::{Deserialize, Serialize};

use crate::outcome::{Compared, Metric};
use crate::record::{ErrorsRow, LatencyRow, Sample};
use crate::stats::Level;

/// The requests of one contender in one case. Each figure is a median over the blocks, with its interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Served {
    /// Requests of all samples together, those that failed included.
    pub count: u64,
    /// Connections that were open at once: the most of any sample.
    pub connections: u64,
    /// Whether latency counts from when a request was due, at a fixed rate; if not, from when it was sent, and then a stall of
    /// the server delays the requests that would show it.
    pub open_loop: bool,
    /// Requests per second of wall time.
    pub per_second: Option<Level>,
    /// Requests per second of the server's CPU time.
    pub per_cpu_second: Option<Level>,
    /// The server's time in user mode for each request, in nanoseconds.
    pub user_ns: Option<Level>,
    /// The server's time in the kernel for each request, in nanoseconds.
    pub system_ns: Option<Level>,
    /// CPU time of whoever made the requests for each of them, in nanoseconds; absent where it is not known.
    pub client_ns: Option<Level>,
    /// Bytes received from the server per second of wall time.
    pub received_per_second: Option<Level>,
    /// How long requests took.
    pub latency: LatencyLevels,
    /// Requests that failed, by how: of all samples together.
    pub errors: ErrorsRow,
    /// Latency against the reference, in the order of [`Metric::LATENCIES`].
    pub against: [Option<Compared>; Metric::LATENCIES.len()],
}

/// Latency in nanoseconds: of each sample one figure, and of these the median over the blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LatencyLevels {
    /// The least.
    pub min: Option<Level>,
    /// The mean.
    pub mean: Option<Level>,
    /// The standard deviation.
    pub sd: Option<Level>,
    /// The median.
    pub p50: Option<Level>,
    /// 66 % were answered within it.
    pub p66: Option<Level>,
    /// 75 % were.
    pub p75: Option<Level>,
    /// 80 % were.
    pub p80: Option<Level>,
    /// 90 % were.
    pub p90: Option<Level>,
    /// 95 % were.
    pub p95: Option<Level>,
    /// 98 % were.
    pub p98: Option<Level>,
    /// 99 % were.
    pub p99: Option<Level>,
    /// 99.9 % were.
    pub p999: Option<Level>,
    /// The greatest.
    pub max: Option<Level>,
}

impl LatencyLevels {
    fn of(rows: &[&LatencyRow]) -> Self {
        let level = |of: fn(&LatencyRow) -> u64| Level::of(&rows.iter().map(|row| of(row) as f64).collect::<Vec<_>>());
        Self {
            min: level(|row| row.min_ns),
            mean: level(|row| row.mean_ns),
            sd: level(|row| row.sd_ns),
            p50: level(|row| row.p50_ns),
            p66: level(|row| row.p66_ns),
            p75: level(|row| row.p75_ns),
            p80: level(|row| row.p80_ns),
            p90: level(|row| row.p90_ns),
            p95: level(|row| row.p95_ns),
            p98: level(|row| row.p98_ns),
            p99: level(|row| row.p99_ns),
            p999: level(|row| row.p999_ns),
            max: level(|row| row.max_ns),
        }
    }

    /// How long it took until so many per cent of the requests were answered; 100 % are at the greatest.
    pub fn percentiles(&self) -> [(&'static str, Option<Level>); 10] {
        [
            ("50", self.p50),
            ("66", self.p66),
            ("75", self.p75),
            ("80", self.p80),
            ("90", self.p90),
            ("95", self.p95),
            ("98", self.p98),
            ("99", self.p99),
            ("99.9", self.p999),
            ("100", self.max),
        ]
    }
}

impl Served {
    /// What these samples of one contender say; nothing where none of them is about requests.
    pub(crate) fn of(samples: &[&Sample]) -> Option<Self> {
        let rows: Vec<&LatencyRow> = samples.iter().filter_map(|sample| sample.latency.as_ref()).collect();
        if rows.is_empty() {
            return None;
        }
        let level = |of: &dyn Fn(&Sample) -> Option<f64>| {
            Level::of(&samples.iter().filter_map(|sample| of(sample)).collect::<Vec<_>>())
        };
        let client = |row: &LatencyRow| Some(row.user_ns?.saturating_add(row.system_ns?));
        Some(Self {
            count: rows.iter().fold(0, |sum, row| sum.saturating_add(row.count)),
            connections: rows.iter().map(|row| row.connections).max().unwrap_or(0),
            open_loop: rows.iter().all(|row| row.open_loop),
            per_second: level(&|sample| per(sample.units as f64 * 1e9, sample.wall_ns)),
            per_cpu_second: level(&|sample| per(sample.units as f64 * 1e9, sample.cpu().0)),
            user_ns: level(&|sample| per(sample.user_ns as f64, sample.units)),
            system_ns: level(&|sample| per(sample.system_ns as f64, sample.units)),
            client_ns: level(&|sample| {
                let row = sample.latency.as_ref()?;
                per(client(row)? as f64, row.count)
            }),
            received_per_second: level(&|sample| {
                per(sample.latency.as_ref()?.received_bytes as f64 * 1e9, sample.wall_ns)
            }),
            latency: LatencyLevels::of(&rows),
            errors: rows.iter().fold(ErrorsRow::default(), |sum, row| sum.and(&row.errors)),
            against: [None; Metric::LATENCIES.len()],
        })
    }

    /// Requests that failed, as a fraction of all; nothing where there were none at all.
    pub fn error_rate(&self) -> Option<f64> {
        per(self.errors.total() as f64, self.count)
    }

    /// Latency against the reference.
    pub fn against(&self, metric: Metric) -> Option<Compared> {
        let index = Metric::LATENCIES.iter().position(|latency| *latency == metric)?;
        self.against[index]
    }

    /// The same, to be changed.
    pub(crate) fn against_mut(&mut self, metric: Metric) -> Option<&mut Compared> {
        let index = Metric::LATENCIES.iter().position(|latency| *latency == metric)?;
        self.against[index].as_mut()
    }

    /// A latency of this contender, in nanoseconds.
    pub(crate) fn latency_of(&self, metric: Metric) -> Option<f64> {
        let latency = &self.latency;
        let level = match metric {
            Metric::P50 => latency.p50,
            Metric::P99 => latency.p99,
            Metric::P999 => latency.p999,
            Metric::MaxLatency => latency.max,
            Metric::Wall | Metric::Cpu | Metric::PeakRss | Metric::Retained => None,
        };
        level.map(|level| level.value)
    }
}

fn per(value: f64, of: u64) -> Option<f64> {
    (of > 0).then(|| value / of as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Role;
    use crate::{Arrangement, Case};

    fn sample(block: u32, p99_ns: u64) -> Sample {
        let errors = ErrorsRow { timeout: 1, body: 2, ..ErrorsRow::default() };
        let latency = LatencyRow {
            count: 1000,
            p99_ns,
            max_ns: 2 * p99_ns,
            received_bytes: 5_000_000,
            connections: 10 + u64::from(block),
            errors,
            user_ns: Some(3_000_000),
            system_ns: Some(1_000_000),
            ..LatencyRow::default()
        };
        Sample {
            units: 1000,
            wall_ns: 500_000_000,
            user_ns: 300_000_000,
            system_ns: 100_000_000,
            latency: Some(latency),
            ..Sample::new(Case::new("service/x"), "one", Role::Contender, block, Arrangement::Turns)
        }
    }

    #[test]
    fn figures_are_per_second_per_request_and_medians() {
        let samples: Vec<Sample> = (0..7).map(|block| sample(block, 1_000_000 + u64::from(block) * 1000)).collect();
        let served = Served::of(&samples.iter().collect::<Vec<_>>()).unwrap();
        let value = |level: Option<Level>| level.map(|level| level.value);
        assert_eq!((served.count, served.connections, served.open_loop), (7000, 16, false));
        assert_eq!((value(served.per_second), value(served.per_cpu_second)), (Some(2000.0), Some(2500.0)));
        assert_eq!((value(served.user_ns), value(served.system_ns)), (Some(300_000.0), Some(100_000.0)));
        assert_eq!((value(served.client_ns), value(served.received_per_second)), (Some(4000.0), Some(1e7)));
        let p99 = served.latency.p99.unwrap();
        assert_eq!((p99.value, p99.interval()), (1_003_000.0, Some((1_000_000.0, 1_006_000.0))));
        assert_eq!(served.latency.percentiles()[9], ("100", served.latency.max));
        assert_eq!((served.errors.timeout, served.errors.body, served.errors.total()), (7, 14, 21));
        assert_eq!(served.error_rate(), Some(0.003));
    }

    #[test]
    fn without_requests_there_is_nothing_to_say() {
        let silent = Sample { latency: None, ..sample(0, 1) };
        assert_eq!(Served::of(&[&silent]), None);
        let nothing = Sample { units: 0, wall_ns: 0, user_ns: 0, system_ns: 0, ..sample(0, 1) };
        let nothing =
            Sample { latency: nothing.latency.map(|row| LatencyRow { count: 0, user_ns: None, ..row }), ..nothing };
        let served = Served::of(&[&nothing]).unwrap();
        assert_eq!(
            (served.per_second, served.user_ns, served.client_ns, served.error_rate()),
            (None, None, None, None)
        );
    }
}

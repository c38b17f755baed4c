//! Peak resident memory, from workers that run undisturbed.

use criterion::Throughput;
use criterion::measurement::ValueFormatter;
use heapmark::record::Sample;
use heapmark::{Arrangement, CaseOutcome};

use crate::metric::{Metric, amount, measured_elsewhere, step};

/// Bytes that were resident at the peak of a sample.
#[derive(Clone, Copy, Debug, Default)]
pub struct PeakRss;

impl Metric for PeakRss {
    const NAME: &'static str = "peak_rss";
    const ARRANGEMENT: Arrangement = Arrangement::Alone;

    fn made(outcome: &CaseOutcome) -> Option<Arrangement> {
        outcome.memory_from
    }

    fn value(sample: &Sample) -> Option<f64> {
        sample.peak_rss.map(|bytes| bytes.0 as f64)
    }

    /// A byte, where the kernel counts pages.
    fn grain(_: f64) -> f64 {
        1.0
    }

    fn throughput() -> Option<Throughput> {
        None
    }
}

measured_elsewhere!(PeakRss);

const KIB: f64 = 1024.0;
const STEPS: [(f64, &str); 4] = [(1.0, "B"), (KIB, "KiB"), (KIB * KIB, "MiB"), (KIB * KIB * KIB, "GiB")];

impl ValueFormatter for PeakRss {
    fn scale_values(&self, typical: f64, values: &mut [f64]) -> &'static str {
        let (step, unit) = step(typical, &STEPS);
        for value in values.iter_mut() {
            *value /= step;
        }
        unit
    }

    /// Memory for each element. Groups of this metric declare no throughput.
    fn scale_throughputs(&self, typical: f64, throughput: &Throughput, values: &mut [f64]) -> &'static str {
        let elements = amount(throughput).max(1.0);
        for value in values.iter_mut() {
            *value /= elements;
        }
        self.scale_values(typical / elements, values)
    }

    fn scale_for_machines(&self, _: &mut [f64]) -> &'static str {
        "B"
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the values are exact: divisions by powers of two")]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_scaled() {
        for (bytes, expected) in [
            (0.0, "0.0000 B"),
            (512.0, "512.00 B"),
            (1536.0, "1.5000 KiB"),
            (5_378_048.0, "5.1289 MiB"),
            (3_221_225_472.0, "3.0000 GiB"),
        ] {
            assert_eq!(PeakRss.format_value(bytes), expected);
        }
        let mut values = [4096.0];
        assert_eq!(PeakRss.scale_throughputs(4096.0, &Throughput::Elements(2), &mut values), "KiB");
        assert_eq!(values, [2.0]);
        assert_eq!(PeakRss.scale_for_machines(&mut values), "B");
    }
}

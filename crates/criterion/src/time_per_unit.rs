//! Wall time per unit of work, from workers that take turns.

use criterion::Throughput;
use criterion::measurement::ValueFormatter;
use heapmark::record::Sample;
use heapmark::{Arrangement, CaseOutcome};

use crate::metric::{Metric, amount, measured_elsewhere, step};

/// Nanoseconds of wall time per unit of work; criterion shows units per second beside it.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimePerUnit;

impl Metric for TimePerUnit {
    const NAME: &'static str = "throughput";
    const ARRANGEMENT: Arrangement = Arrangement::Turns;

    fn made(outcome: &CaseOutcome) -> Option<Arrangement> {
        outcome.time_from
    }

    fn value(sample: &Sample) -> Option<f64> {
        (sample.units > 0).then(|| sample.wall_ns as f64 / sample.units as f64)
    }

    fn grain(value: f64) -> f64 {
        value * 1e-7
    }

    fn throughput() -> Option<Throughput> {
        Some(Throughput::Elements(1))
    }
}

measured_elsewhere!(TimePerUnit);

impl ValueFormatter for TimePerUnit {
    fn scale_values(&self, typical: f64, values: &mut [f64]) -> &'static str {
        let (step, unit) = step(typical, &[(1e-3, "ps"), (1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")]);
        for value in values.iter_mut() {
            *value /= step;
        }
        unit
    }

    fn scale_throughputs(&self, typical: f64, throughput: &Throughput, values: &mut [f64]) -> &'static str {
        let per_second = |ns: f64| amount(throughput) * 1e9 / ns;
        let (step, unit) = step(per_second(typical), &[(1.0, "/s"), (1e3, "k/s"), (1e6, "M/s"), (1e9, "G/s")]);
        for value in values.iter_mut() {
            *value = per_second(*value) / step;
        }
        unit
    }

    fn scale_for_machines(&self, _: &mut [f64]) -> &'static str {
        "ns"
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the values are exact: each is the result of one division")]
mod tests {
    use super::*;

    #[test]
    fn times_are_scaled() {
        for (ns, expected) in [
            (0.25, "250.00 ps"),
            (1.0, "1.0000 ns"),
            (1234.5, "1.2345 µs"),
            (12_345_678.0, "12.346 ms"),
            (7.5e9, "7.5000 s"),
        ] {
            assert_eq!(TimePerUnit.format_value(ns), expected);
        }
        let mut values = [1500.0, 2_500_000.0];
        assert_eq!(TimePerUnit.scale_values(1500.0, &mut values), "µs", "one unit for all");
        assert_eq!(values, [1.5, 2500.0]);
        assert_eq!(TimePerUnit.scale_for_machines(&mut values), "ns");
        assert_eq!(values, [1.5, 2500.0]);
    }

    #[test]
    fn units_per_second_are_scaled() {
        let unit = TimePerUnit::throughput().unwrap();
        for (ns, expected) in [(4e9, "0.2500 /s"), (1e7, "100.00 /s"), (2e4, "50.000 k/s"), (200.0, "5.0000 M/s")] {
            assert_eq!(TimePerUnit.format_throughput(&unit, ns), expected);
        }
        assert_eq!(TimePerUnit.format_throughput(&Throughput::Elements(10), 2e4), "500.00 k/s");
    }
}

//! What of a sample criterion is handed.

use criterion::Throughput;
use criterion::measurement::Measurement;
use heapmark::record::Sample;
use heapmark::{Arrangement, CaseOutcome};

/// A number that each sample has, with the way in which criterion writes it.
///
/// Its values do not depend on how much work a sample was given, since that is calibrated anew in each run, and baselines
/// of other runs must compare.
pub trait Metric: Measurement<Value = f64> {
    /// The first part of group names. Two metrics of one workload must not share a folder of criterion's.
    const NAME: &'static str;

    /// How the samples are to be made.
    const ARRANGEMENT: Arrangement;

    /// How they were made: not as asked for where the workers of a block do not fit into memory together.
    fn made(outcome: &CaseOutcome) -> Option<Arrangement>;

    /// The value of a sample.
    fn value(sample: &Sample) -> Option<f64>;

    /// A step far smaller than what can be told apart around this value.
    fn grain(value: f64) -> f64;

    /// What criterion derives a throughput from, where that makes sense.
    fn throughput() -> Option<Throughput>;
}

/// The number that a throughput is stated in.
pub(crate) fn amount(throughput: &Throughput) -> f64 {
    match *throughput {
        Throughput::Bits(amount)
        | Throughput::Bytes(amount)
        | Throughput::BytesDecimal(amount)
        | Throughput::Elements(amount)
        | Throughput::ElementsAndBytes { elements: amount, .. } => amount as f64,
    }
}

/// The largest step of `steps` (ascending) that is not above the value, else the first.
pub(crate) fn step(value: f64, steps: &[(f64, &'static str)]) -> (f64, &'static str) {
    let fitting = steps.iter().rev().find(|(step, _)| value.abs() >= *step);
    fitting.or(steps.first()).copied().unwrap_or((1.0, ""))
}

/// What criterion wants of a measurement, for a metric that is never measured in this process: values are handed over as
/// they are, and added up by criterion.
macro_rules! measured_elsewhere {
    ($metric:ty) => {
        impl ::criterion::measurement::Measurement for $metric {
            type Intermediate = ();
            type Value = f64;

            fn start(&self) {}

            /// Nothing is ever measured in this process.
            fn end(&self, (): ()) -> f64 {
                0.0
            }

            fn add(&self, a: &f64, b: &f64) -> f64 {
                a + b
            }

            fn zero(&self) -> f64 {
                0.0
            }

            fn to_f64(&self, value: &f64) -> f64 {
                *value
            }

            fn formatter(&self) -> &dyn ::criterion::measurement::ValueFormatter {
                self
            }
        }
    };
}
pub(crate) use measured_elsewhere;

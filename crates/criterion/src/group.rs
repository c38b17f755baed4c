//! A benchmark group: one case, one function for each contender.

use std::time::Duration;

use criterion::{Criterion, SamplingMode};
use heapmark::record::{Record, Role};
use heapmark::stats::median;
use heapmark::{Case, CaseOutcome, Error, Event, Session};

use crate::arguments::{Arguments, Mode};
use crate::dither::dither;
use crate::metric::Metric;

/// A case that was measured and handed to criterion.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What heapmark says of it.
    pub outcome: CaseOutcome,
    /// Contenders that criterion did not get, since there is no value for each of their samples, and why.
    pub skipped: Vec<(String, String)>,
}

/// The name of the group that a case has: the metric's name, then the case's. Functions are named like contenders.
pub fn group_name<M: Metric>(case: &Case) -> String {
    format!("{}/{case}", M::NAME)
}

/// Measures a case and hands criterion the samples, each once.
///
/// All blocks are measured here, for all contenders at once, before criterion first calls a function: its warm-up starts
/// no worker. If no function of the group is chosen, nothing happens. If nothing is to be measured (`--list`,
/// `--load-baseline`), criterion gets functions that it does not call.
///
/// Fails where [`Session::measure`] does, and if the session has fewer blocks than criterion needs samples: settings
/// should come from [`Arguments::settings`]. Panics where criterion does, such as for a baseline that is not there; the
/// record is complete then.
pub fn bench_case<M: Metric + 'static>(
    criterion: &mut Criterion<M>,
    session: &mut Session,
    arguments: &Arguments,
    case: &Case,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Option<Measured>, Error> {
    let group_name = group_name::<M>(case);
    let rows = session.record().contenders.iter().filter(|row| row.role != Role::Twin);
    let names: Vec<String> = rows.map(|row| row.name.clone()).collect();
    if !names.iter().any(|name| arguments.selects(&format!("{group_name}/{name}"))) {
        return Ok(None);
    }
    let mut measured = None;
    if arguments.measures() {
        check_blocks(session.record(), arguments)?;
        measured = Some(Measured { outcome: session.measure(case, observe)?, skipped: Vec::new() });
    }
    let mut group = criterion.benchmark_group(&group_name);
    group.sampling_mode(SamplingMode::Flat).warm_up_time(AT_ONCE);
    group.measurement_time(if arguments.is_quick() { AT_ONCE } else { MEASUREMENT });
    if let Some(throughput) = M::throughput() {
        group.throughput(throughput);
    }
    for name in names {
        let mut values = Vec::new();
        if let Some(measured) = &mut measured {
            match values_of::<M>(session.record(), &measured.outcome, &name) {
                Ok(found) => values = found,
                Err(why) => {
                    measured.skipped.push((name, why));
                    continue;
                }
            }
        }
        if arguments.is_quick() {
            values = median(&values).into_iter().collect();
        }
        dither(&mut values, M::grain);
        if arguments.mode() == Mode::Benchmark && !arguments.is_quick() {
            group.sample_size(values.len().max(Arguments::LEAST_SAMPLES as usize));
        }
        let mut next = in_turn(values);
        group.bench_function(&name, |bencher| {
            let value = next();
            bencher.iter_custom(|iterations| value * iterations as f64);
        });
    }
    group.finish();
    Ok(measured)
}

/// Less than a single call takes. Criterion warms up with one call then, and with `--quick` is content with one more.
const AT_ONCE: Duration = Duration::from_nanos(1);

/// Criterion computes from this how many iterations to ask of each call. The answer is a value for one iteration times their
/// number, whatever it is; with a shorter time criterion would ask for one and warn that the time does not suffice.
const MEASUREMENT: Duration = Duration::from_millis(10);

/// The values over and over. Criterion calls a function for its warm-up first, and then once for each sample: as many times
/// in a row as there are values, so that each is handed over once, wherever the first of these calls finds it.
fn in_turn(values: Vec<f64>) -> impl FnMut() -> f64 {
    let mut values = values.into_iter().cycle();
    move || values.next().unwrap_or_default()
}

fn check_blocks(record: &Record, arguments: &Arguments) -> Result<(), Error> {
    let blocks = record.run.as_ref().map_or(0, |run| run.settings.blocks);
    let suffices = blocks >= Arguments::LEAST_SAMPLES || arguments.is_quick() || arguments.mode() != Mode::Benchmark;
    suffices.then_some(()).ok_or_else(|| {
        let least = Arguments::LEAST_SAMPLES;
        Error::Usage(format!("criterion needs at least {least} samples, which are blocks here, and there are {blocks}"))
    })
}

/// The metric's value of every sample of a contender; else why not.
fn values_of<M: Metric>(record: &Record, outcome: &CaseOutcome, name: &str) -> Result<Vec<f64>, String> {
    let contender = outcome.contender(name).ok_or("it was not measured")?;
    if !contender.status.is_ok() {
        return Err(contender.status.to_string());
    }
    let samples = record.samples_of(&outcome.case);
    let ours = samples.filter(|sample| sample.contender == name && Some(sample.arrangement) == M::made(outcome));
    let values: Option<Vec<f64>> = ours.map(M::value).collect();
    values.filter(|values| !values.is_empty()).ok_or_else(|| "this system does not tell".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_handed_over_once_after_any_warm_up() {
        for warm_up in [0, 1, 2, 7] {
            let mut next = in_turn(vec![1.0, 2.0, 3.0, 4.0]);
            for _ in 0..warm_up {
                next();
            }
            let mut handed: Vec<f64> = (0..4).map(|_| next()).collect();
            handed.sort_by(f64::total_cmp);
            assert_eq!(handed, [1.0, 2.0, 3.0, 4.0]);
        }
    }
}

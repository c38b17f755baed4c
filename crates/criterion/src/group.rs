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
    let (mut measured, mut functions) = (None, Vec::new());
    if arguments.measures() {
        check_blocks(session.record(), arguments)?;
        let outcome = session.measure(case, observe)?;
        let mut skipped = Vec::new();
        for name in names {
            match values_of::<M>(session.record(), &outcome, &name) {
                Ok(values) => functions.push((name, values)),
                Err(why) => skipped.push((name, why)),
            }
        }
        measured = Some(Measured { outcome, skipped });
    } else {
        functions.extend(names.into_iter().map(|name| (name, Vec::new())));
    }
    hand_over(criterion, &group_name, functions, arguments);
    Ok(measured)
}

/// Runs a group whose functions answer with these values.
fn hand_over<M: Metric + 'static>(
    criterion: &mut Criterion<M>,
    group_name: &str,
    functions: Vec<(String, Vec<f64>)>,
    arguments: &Arguments,
) {
    let mut group = criterion.benchmark_group(group_name);
    group.sampling_mode(SamplingMode::Flat).warm_up_time(AT_ONCE);
    group.measurement_time(if arguments.is_quick() { AT_ONCE } else { MEASUREMENT });
    if let Some(throughput) = M::throughput() {
        group.throughput(throughput);
    }
    for (name, mut values) in functions {
        if arguments.is_quick() {
            values = median(&values).into_iter().collect();
        } else {
            group.sample_size(values.len().max(Arguments::LEAST_SAMPLES as usize));
        }
        dither(&mut values, M::grain);
        let mut next = in_turn(values);
        group.bench_function(name, |bencher| {
            let value = next();
            bencher.iter_custom(|iterations| value * iterations as f64);
        });
    }
    group.finish();
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
    let blocks = record.run.as_ref().and_then(|run| run.settings.blocks()).unwrap_or(0);
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
    use criterion::PlottingBackend;

    use super::*;
    use crate::{PeakRss, TimePerUnit};

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

    /// Peak memory that is the same to the page in every sample makes criterion panic in the second run, and a baseline
    /// makes a second run of the first one.
    #[test]
    fn constant_samples_survive_every_further_run_with_plots() {
        let folder = tempfile::tempdir().unwrap();
        let run = |option: Option<&str>, change: fn(Criterion<PeakRss>) -> Criterion<PeakRss>| {
            let line = ["--bench"].into_iter().chain(option);
            let arguments = Arguments::read(line.map(Into::into)).unwrap();
            let criterion = Criterion::default().with_measurement(PeakRss).output_directory(folder.path());
            let criterion = criterion.nresamples(1001).with_plots().plotting_backend(PlottingBackend::Plotters);
            let functions = ["system", "other"].map(|name| (name.to_owned(), vec![5_378_048.0; 10]));
            hand_over(&mut change(criterion), "peak_rss/a/b", functions.into(), &arguments);
        };
        run(None, |criterion| criterion);
        run(None, |criterion| criterion);
        run(None, |criterion| criterion.save_baseline("kept".into()));
        run(None, |criterion| criterion.save_baseline("kept".into()));
        run(None, |criterion| criterion.retain_baseline("kept".into(), true));
        for name in ["system", "other"] {
            let change = folder.path().join("peak_rss_a_b").join(name).join("report/relative_pdf_small.svg");
            assert!(change.exists(), "{} is plotted when there is something to compare with", change.display());
        }
    }

    /// Criterion computes from the time that a call takes how many iterations it asks for.
    #[test]
    fn values_do_not_depend_on_the_iterations_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let values: Vec<f64> = (0..12).map(|index| 1000.0 + f64::from(index)).collect();
        let criterion = Criterion::default().with_measurement(TimePerUnit).output_directory(folder.path());
        let mut criterion = criterion.nresamples(1001).without_plots();
        let arguments = Arguments::read(["--bench".into()]).unwrap();
        hand_over(&mut criterion, "throughput/a/b", vec![("system".into(), values.clone())], &arguments);
        let sample = std::fs::read(folder.path().join("throughput_a_b/system/new/sample.json")).unwrap();
        let sample: serde_json::Value = serde_json::from_slice(&sample).unwrap();
        let column = |name: &str| -> Vec<f64> { serde_json::from_value(sample[name].clone()).unwrap() };
        let per_iteration =
            column("times").into_iter().zip(column("iters")).map(|(time, iterations)| time / iterations);
        let mut handed: Vec<f64> = per_iteration.map(f64::round).collect();
        handed.sort_by(f64::total_cmp);
        assert_eq!(handed, values, "each sample once, as it was measured");
    }
}

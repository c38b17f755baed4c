//! The way criterion compares: many measurements inside one process of each program, one program after the other. Criterion
//! itself judges, by its own bootstrap and its own noise threshold.

use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, SamplingMode};
use heapmark::stats::Verdict;
use heapmark::{Arrangement, Case, Comparison, Contender, Error, Nanos, Settings, Stop};

/// Measurements of each program, as criterion takes by default.
const MEASUREMENTS: u32 = 100;

/// Length of one of them.
const LENGTH: Duration = Duration::from_millis(30);

/// Criterion's noise threshold: what lies within is no change.
const THRESHOLD: f64 = 0.01;

/// Verdicts of the reference against itself and against the others.
pub(crate) fn verdicts(run: u64, case: &Case, contenders: &[Contender]) -> Result<Vec<Verdict>, Error> {
    let reference = measurements(run, case, &contenders[0])?;
    contenders.iter().map(|contender| judge(&reference, &measurements(run, case, contender)?)).collect()
}

/// Wall time per unit of every turn of one process, in nanoseconds.
fn measurements(run: u64, case: &Case, contender: &Contender) -> Result<Vec<f64>, Error> {
    let settings = Settings {
        seed: run,
        stop: Stop::Blocks(1),
        arrangements: vec![Arrangement::Alone],
        turn: Nanos::from(LENGTH),
        turns_alone: MEASUREMENTS,
        warm_turns: 10,
        twin: false,
        ..Settings::default()
    };
    let mut session = Comparison::new([contender.clone()]).settings(settings).open(&mut |_| {})?;
    session.measure_all(std::slice::from_ref(case), &mut |_| {})?;
    let record = session.record();
    let units = record.cases.first().map_or(1, |row| row.turn_units).max(1);
    let turns = record.samples.iter().flat_map(|sample| &sample.turns.wall_ns);
    Ok(turns.map(|&ns| ns as f64 / units as f64).collect())
}

/// What criterion says of the change from one set of measurements to the other: it calls a change where the interval of the
/// mean lies wholly beyond its threshold.
fn judge(reference: &[f64], contender: &[f64]) -> Result<Verdict, Error> {
    let folder = tempfile::tempdir().map_err(|source| Error::File {
        action: "cannot make a folder in",
        path: std::env::temp_dir(),
        source,
    })?;
    show(folder.path(), reference, false);
    show(folder.path(), contender, true);
    let path = folder.path().join("way/process/change/estimates.json");
    let text =
        std::fs::read(&path).map_err(|source| Error::File { action: "cannot read", path: path.clone(), source })?;
    let change: serde_json::Value = serde_json::from_slice(&text)
        .map_err(|error| Error::Record { path, reason: format!("criterion wrote what is not JSON: {error}") })?;
    let interval = &change["mean"]["confidence_interval"];
    let (low, high) = (interval["lower_bound"].as_f64(), interval["upper_bound"].as_f64());
    Ok(match (low, high) {
        (Some(low), _) if low > THRESHOLD => Verdict::Slower,
        (_, Some(high)) if high < -THRESHOLD => Verdict::Faster,
        (Some(low), Some(high)) if low > -THRESHOLD && high < THRESHOLD => Verdict::Same,
        _ => Verdict::Unclear,
    })
}

/// Hands the measurements to criterion, each once.
fn show(folder: &Path, nanoseconds: &[f64], compare: bool) {
    let criterion = Criterion::default().without_plots().output_directory(folder).nresamples(10_000);
    let mut criterion = if compare {
        criterion.retain_baseline("before".into(), true)
    } else {
        criterion.save_baseline("before".into())
    };
    let mut group = criterion.benchmark_group("way");
    group.sampling_mode(SamplingMode::Flat).sample_size(nanoseconds.len().max(10));
    group.warm_up_time(Duration::from_nanos(1)).measurement_time(Duration::from_millis(10));
    let mut next = nanoseconds.iter().cycle();
    group.bench_function("process", |bencher| {
        // Nanoseconds per unit are few; a million units keep their digits in a duration of whole nanoseconds.
        let value = next.next().copied().unwrap_or_default() * 1e6;
        bencher.iter_custom(|iterations| Duration::from_secs_f64(value * iterations as f64 * 1e-9));
    });
    group.finish();
}

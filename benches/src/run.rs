//! A criterion bench from its command line to its last line.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;

use criterion::Criterion;
use heapmark::record::RecordFile;
use heapmark::{Case, Error, Outcome, Settings};
use heapmark_criterion::{Arguments, Measured, Metric, Mode, bench_case, group_name};

use crate::place::{Place, record_path};
use crate::progress::{show, workers_of};
use crate::report;
use crate::setup::{Setup, chosen};

/// Resamples of criterion's analysis, unless `--nresamples` says otherwise. Its default, ten times as many, makes plots of them
/// for so long that the analysis takes nearly as much time as the measuring.
const RESAMPLES: usize = 10_000;

/// Runs the bench of one metric: reads the command line, builds the workers, measures the chosen groups and hands them to
/// criterion. Fails if anything could not be measured.
pub fn run<M: Metric + Default + 'static>() -> ExitCode {
    let criterion = Criterion::default().with_measurement(M::default()).nresamples(RESAMPLES);
    let mut criterion = criterion.configure_from_args();
    match bench(&mut criterion) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench<M: Metric + 'static>(criterion: &mut Criterion<M>) -> Result<ExitCode, Error> {
    let arguments = Arguments::from_env()?;
    for option in arguments.idle_options() {
        eprintln!(
            "--{option} changes nothing here: heapmark decides how long a sample is; more samples are more precise"
        );
    }
    let setup = Setup::build()?;
    let settings = arguments.settings::<M>(&Settings::default());
    let blocks = settings.blocks().unwrap_or_default();
    let mut comparison = setup.comparison(settings);
    let cases = chosen(&comparison, &arguments, M::NAME)?;
    if cases.is_empty() {
        eprintln!("{}: the filter matches nothing here", M::NAME);
        return Ok(ExitCode::SUCCESS);
    }
    let keeps = arguments.mode() == Mode::Benchmark && arguments.measures();
    if keeps {
        comparison = comparison.record(RecordFile::create(record_path(&setup.target, M::NAME), true)?);
    }
    let mut session = comparison.open(&mut |event| show(&event, 0, blocks))?;
    let workers_at_once = workers_of(session.record());
    let (mut error, mut panic) = (None, None);
    for case in &cases {
        let mut observe = |event: heapmark::Event<'_>| show(&event, workers_at_once, blocks);
        // Criterion panics where a baseline is missing. The other groups are measured all the same, and the record is complete,
        // before the panic goes on.
        let group = || bench_case(criterion, &mut session, &arguments, case, &mut observe);
        match catch_unwind(AssertUnwindSafe(group)) {
            Ok(Ok(measured)) => measured.iter().for_each(|measured| show_skipped::<M>(case, measured)),
            Ok(Err(why)) => {
                error = Some(why);
                break;
            }
            Err(payload) => panic = panic.or(Some(payload)),
        }
    }
    let finished = session.finish();
    criterion.final_summary();
    // From memory: a disk that is full costs the record but not the table.
    let outcome = Outcome::of(session.record());
    let failed = outcome.failures().next().is_some();
    let ends_here = failed || error.is_some() || panic.is_some() || finished.is_err();
    if keeps {
        // Cargo runs no further bench after one that fails, and the table would have come from there.
        if ends_here {
            print!("{}", report::table_and_notes(&outcome));
        }
        print!("{}", report::whereabouts::<M>(&Place::of(&setup)));
    }
    if let Some(payload) = panic {
        resume_unwind(payload);
    }
    if let Some(error) = error {
        return Err(error);
    }
    finished?;
    if failed {
        eprintln!("{}", report::FAILED);
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

fn show_skipped<M: Metric>(case: &Case, measured: &Measured) {
    for (contender, why) in &measured.skipped {
        eprintln!("{}/{contender} is left out: {why}", group_name::<M>(case));
    }
}

//! A bench from its command line to its table.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;

use criterion::Criterion;
use heapmark::record::RecordFile;
use heapmark::{Case, Comparison, Error, Outcome, Settings, Worker, Workspace};
use heapmark_criterion::{Arguments, Measured, Metric, Mode, bench_case, group_name};

use crate::progress::{show, workers_of};
use crate::report::{Place, record_path, report};
use crate::{ALLOCATORS, COUNTING};

/// Resamples of criterion's analysis, unless `--nresamples` says otherwise. Its default, ten times as many, makes plots of them
/// for so long that the analysis takes nearly as much time as the measuring.
const RESAMPLES: usize = 10_000;

/// Runs the bench of one metric: reads the command line, builds the workers, measures the chosen groups and hands them to
/// criterion, and prints the table. Fails if anything could not be measured.
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
    let workspace = Workspace::find().ok_or_else(|| {
        Error::Usage(
            "no heapmark workspace is here or where this program was built; run `cargo bench` in a clone".into(),
        )
    })?;
    let target = workspace.target_folder()?;
    let workers = workers(&workspace)?;
    let settings = arguments.settings::<M>(&Settings::default());
    let blocks = settings.blocks().unwrap_or_default();
    let contenders = ALLOCATORS.iter().filter_map(|name| workers.iter().find(|worker| worker.name == *name));
    let mut comparison = Comparison::of(contenders.cloned()).settings(settings).workspace(workspace.root());
    if let Some(worker) = workers.iter().find(|worker| worker.name == COUNTING) {
        comparison = comparison.counting(worker.clone());
    }
    let cases = chosen::<M>(&comparison, &arguments)?;
    if cases.is_empty() {
        eprintln!("{}: the filter matches nothing here", M::NAME);
        return Ok(ExitCode::SUCCESS);
    }
    let keeps = arguments.mode() == Mode::Benchmark && arguments.measures();
    if keeps {
        comparison = comparison.record(RecordFile::create(record_path(&target, M::NAME), true)?);
    }
    let mut session = comparison.open(&mut |event| show(&event, 0, blocks))?;
    let workers_at_once = workers_of(session.record());
    let (mut error, mut panic) = (None, None);
    for case in &cases {
        let mut observe = |event: heapmark::Event<'_>| show(&event, workers_at_once, blocks);
        // Criterion panics where a baseline is missing. The other groups are measured all the same, and the record and the
        // table are complete, before the panic goes on.
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
    // Shown from memory: a disk that is full costs the record but not the table.
    let finished = session.finish();
    let record = session.record();
    criterion.final_summary();
    let outcome = Outcome::of(record);
    if keeps {
        let place = Place { root: workspace.root(), target: &target };
        print!("{}", report::<M>(&place, &workers, record, outcome.clone()));
    }
    if let Some(payload) = panic {
        resume_unwind(payload);
    }
    if let Some(error) = error {
        return Err(error);
    }
    finished?;
    if outcome.failures().next().is_some() {
        eprintln!(
            "error: not everything could be measured; `--no-fail-fast` has Cargo run the other benches nevertheless"
        );
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds what takes part; a no-op where it is fresh.
fn workers(workspace: &Workspace) -> Result<Vec<Worker>, Error> {
    let mut workers = workspace.build(|name| ALLOCATORS.contains(&name) || name == COUNTING)?;
    for name in ALLOCATORS {
        if !workers.iter().any(|worker| worker.name == name) {
            let reason = format!("the workspace at {} has no such worker", workspace.root().display());
            workers.push(Worker { name: name.into(), program: Err(reason) });
        }
    }
    Ok(workers)
}

/// The default set; with a filter, every workload that it matches; to list and to test, all there are.
fn chosen<M: Metric>(comparison: &Comparison, arguments: &Arguments) -> Result<Vec<Case>, Error> {
    let catalogue = comparison.catalogue()?;
    let usual = catalogue.default_workloads();
    let everything = arguments.is_filtered() || matches!(arguments.mode(), Mode::List | Mode::Test);
    if arguments.mode() == Mode::List && !arguments.is_filtered() {
        eprintln!("without a filter, `cargo bench` measures {}", usual.join(", "));
    }
    let names = catalogue.workloads.into_iter().map(|workload| workload.name);
    let names: Vec<String> = if everything { names.collect() } else { usual };
    let is_chosen = |case: &Case| {
        let group = group_name::<M>(case);
        ALLOCATORS.iter().any(|allocator| arguments.selects(&format!("{group}/{allocator}")))
    };
    Ok(names.into_iter().map(Case::new).filter(is_chosen).collect())
}

fn show_skipped<M: Metric>(case: &Case, measured: &Measured) {
    for (contender, why) in &measured.skipped {
        eprintln!("{}/{contender} is left out: {why}", group_name::<M>(case));
    }
}

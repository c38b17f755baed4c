//! The bench that comes last: the whole comparison, of what the others have measured and of what they have not.

use std::process::ExitCode;

use heapmark::record::{Record, RecordFile};
use heapmark::{Case, Error, Event, Outcome, Settings};
use heapmark_criterion::{Arguments, Metric, Mode, PeakRss, TimePerUnit};

use crate::allocators::allocators;
use crate::kept::{kept, missing, restricted};
use crate::place::{Place, record_path};
use crate::progress::{show, workers_of};
use crate::report;
use crate::setup::{Setup, chosen, function_name};

const NAME: &str = "verdicts";

/// Runs the bench: reads the command line as criterion would, takes the records of the other two, measures what they lack,
/// and prints the comparison. Fails if anything could not be measured.
pub fn verdicts() -> ExitCode {
    match bench() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench() -> Result<ExitCode, Error> {
    let arguments = Arguments::from_env()?;
    let setup = Setup::build()?;
    let cases = chosen(&setup.comparison(Settings::default()), &arguments, NAME)?;
    if cases.is_empty() {
        eprintln!("{NAME}: the filter matches nothing here");
        return Ok(ExitCode::SUCCESS);
    }
    match arguments.mode() {
        Mode::List => {
            list(&arguments, &cases);
            return Ok(ExitCode::SUCCESS);
        }
        Mode::Profile => {
            eprintln!("{NAME}: nothing here is iterated for a profiler");
            return Ok(ExitCode::SUCCESS);
        }
        Mode::Benchmark if !arguments.measures() => {
            eprintln!("{NAME}: what criterion loads is not in a record, so there is nothing to judge");
            return Ok(ExitCode::SUCCESS);
        }
        Mode::Benchmark | Mode::Test => {}
    }
    let memory = measured::<PeakRss>(&setup, &arguments, &cases)?;
    let time = measured::<TimePerUnit>(&setup, &arguments, &cases)?;
    let of = |record: &Record| Outcome::of(&restricted(record, &cases));
    let (outcome, text) = report::comparison(of(&time), &of(&memory), &Place::of(&setup));
    let failed = outcome.failures().next().is_some();
    if arguments.mode() == Mode::Benchmark || failed {
        print!("{text}");
    } else {
        for case in &cases {
            println!("Testing {NAME}/{case}\nSuccess");
        }
    }
    if failed {
        eprintln!("{}", report::FAILED);
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// The names, as criterion lists them.
fn list(arguments: &Arguments, cases: &[Case]) {
    for case in cases {
        let names = allocators().iter().map(|allocator| function_name(NAME, case, allocator));
        names.filter(|name| arguments.selects(name)).for_each(|name| println!("{name}: benchmark"));
    }
}

/// The record of a metric's bench with all of these cases: as that bench has left it, where it still holds, and with what it
/// lacks. No sample is measured twice.
fn measured<M: Metric>(setup: &Setup, arguments: &Arguments, cases: &[Case]) -> Result<Record, Error> {
    let settings = arguments.settings::<M>(&Settings::default());
    let blocks = settings.blocks().unwrap_or_default();
    let mut observe = |event: Event<'_>| show(&event, 0, blocks);
    let comparison = setup.comparison(settings.clone());
    if arguments.mode() == Mode::Test {
        let mut session = comparison.open(&mut observe)?;
        session.measure_all(cases, &mut |_| {})?;
        return Ok(session.record().clone());
    }
    let path = record_path(&setup.target, M::NAME);
    let name = Place::of(setup).record(M::NAME);
    let fresh = comparison.open(&mut observe)?;
    let kept = kept(&path, &setup.workers, fresh.record(), &settings);
    let comparison = setup.comparison(settings);
    let (comparison, missing) = match kept {
        Ok(record) => {
            let missing = missing(&record, cases);
            if missing.is_empty() {
                return Ok(record);
            }
            eprintln!("{name} lacks {} of {} workloads", missing.len(), cases.len());
            (comparison.resume(record, RecordFile::append_to(path)?), missing)
        }
        Err(why) => {
            eprintln!("{name} is measured anew: {why}");
            (comparison.record(RecordFile::create(path, true)?), cases.to_vec())
        }
    };
    let mut session = comparison.open(&mut |_| {})?;
    let workers = workers_of(session.record());
    session.measure_all(&missing, &mut |event| show(&event, workers, blocks))?;
    session.finish()?;
    Ok(session.record().clone())
}

//! The program that runs a workload over a checked allocator.

use std::alloc::GlobalAlloc;
use std::process::ExitCode;

use heapmark_protocol::Text;
use heapmark_worker::{Identity, Moment, Proof, Tally, TestBlock, observe_turns};
use heapmark_workloads::small::{SMALL, Small};

use crate::books::Held;
use crate::checked::Checked;
use crate::report::{Line, Phase};
use crate::variants::{self, Setting};
use crate::watch;

/// The seed of all that is random.
const SEED: u64 = 1;

/// Runs what the arguments say: `WORKLOAD FILL [PARAMETER=VALUE …]`. This is the `main` that [`program!`](crate::program) makes.
///
/// Prints the backend and its proof, and then a [`Line`] for each phase of each variant.
pub fn run<A: GlobalAlloc>(allocator: &Checked<A>, identity: &Identity) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match check(allocator, identity, &arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn check<A: GlobalAlloc>(allocator: &Checked<A>, identity: &Identity, arguments: &[String]) -> Result<(), String> {
    let [name, fill, fixed @ ..] = arguments else {
        return Err("give a workload and a number to fill blocks with".into());
    };
    let small =
        SMALL.iter().find(|small| small.name() == name).ok_or_else(|| format!("no workload is named {name}"))?;
    allocator.set_fill(fill.parse().map_err(|error| format!("{fill}: {error}"))?);
    let fixed: Vec<Setting> = fixed.iter().map(|text| setting(text)).collect::<Result<_, _>>()?;
    watch::at(format_args!("{name} at the beginning"));
    println!("{}\t{}", identity.name, proof(identity)?);
    let variants = variants::of(small.workload.about(), &fixed);
    // What the standard library, or rayon, makes once for a process and keeps, is nothing that a workload has left behind.
    for variant in &variants {
        observe(allocator, small, variant)?;
        if variant.iter().any(|(name, value)| name == "threads" && value != "1") {
            break;
        }
    }
    for variant in &variants {
        for line in observe(allocator, small, variant)? {
            println!("{line}");
        }
    }
    Ok(())
}

fn setting(text: &str) -> Result<Setting, String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("{text} is not PARAMETER=VALUE"))?;
    Ok((name.to_owned(), value.to_owned()))
}

/// The proof that the allocator of the backend is the one that serves, as a word.
fn proof(identity: &Identity) -> Result<&'static str, String> {
    let mut detail = Text::<512>::new();
    match (identity.proof)(&TestBlock::new(), &mut detail) {
        Proof::Api => Ok("api"),
        Proof::Symbol => Ok("symbol"),
        Proof::Linked => Ok("linked"),
        Proof::None => Err(format!("there is no proof that {} serves: {detail}", identity.name)),
    }
}

/// Runs one variant.
fn observe<A: GlobalAlloc>(allocator: &Checked<A>, small: &Small, variant: &[Setting]) -> Result<Vec<Line>, String> {
    let text = variants::text(variant);
    watch::at(format_args!("{} {text}", small.name()));
    let settings = variant.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let setup = small.setup(SEED, settings)?;
    // With room for all, so that nothing is allocated in between.
    let mut seen: Vec<(Phase, Tally, Held)> = Vec::with_capacity(small.turns.len() + 2);
    let start = allocator.held();
    let mut turns = 0;
    observe_turns(small.workload, &setup, small.turns, |moment| {
        let (phase, tally) = match moment {
            Moment::Prepared => (Phase::Prepared, Tally::default()),
            Moment::Turned(tally) => {
                turns += 1;
                (Phase::Turn(turns), tally)
            }
            Moment::Dropped => (Phase::Dropped, Tally::default()),
        };
        seen.push((phase, tally, allocator.held()));
    })?;
    let mut before = start;
    let line = |(phase, tally, now): (Phase, Tally, Held)| {
        let books = [start, std::mem::replace(&mut before, now), now];
        Line::new(&text, phase, tally, books)
    };
    Ok(seen.into_iter().map(line).collect())
}

//! Holds the classic workloads against the C programs that they are named after: does one say of two allocators what the
//! other says?
//!
//! `scripts/compare-originals` builds the programs and calls this. Each program runs in fresh processes under the C
//! library's malloc and under each preloaded library, interleaved in random order, and is judged by its CPU time for a unit
//! of its work. The workload of that name runs in the harness, with the very same libraries preloaded. What is compared is
//! the ratio of each library to the C library's malloc, with the interval that heapmark's own statistics give it.
//!
//! The table goes to standard output in Markdown, what is done meanwhile to standard error.

mod agreement;
mod originals;
mod ours;
mod program;
mod score;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use fastrand::Rng;
use heapmark::{Worker, Workspace};
use regex::Regex;

use crate::agreement::Agreement;
use crate::originals::{ORIGINALS, Original};
use crate::program::Library;
use crate::score::Scores;

/// Holds the classic workloads against the C programs that they are named after.
#[derive(Debug, Parser)]
struct Arguments {
    /// The folder with the C programs, as built by `scripts/compare-originals`
    programs: PathBuf,
    /// A library that replaces malloc, under a name
    #[arg(long, value_name = "NAME=PATH", required = true, value_parser = library)]
    preload: Vec<Library>,
    /// Processes of each program under each allocator, and blocks of each workload; an interval needs six
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    /// Only programs whose name matches
    #[arg(value_name = "REGEX", default_value = "")]
    program: Regex,
}

/// Reads `NAME=PATH`.
fn library(text: &str) -> Result<Library, String> {
    let (name, path) = text.split_once('=').ok_or("write NAME=PATH")?;
    let path = std::path::absolute(path).map_err(|error| error.to_string())?;
    if path.is_file() { Ok(Library { name: name.into(), path }) } else { Err("there is no such file".into()) }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("compare_originals: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let workspace = Workspace::find().ok_or("there is no heapmark workspace around the current folder")?;
    let workers = workspace.build(|name| name == "system").map_err(|error| error.to_string())?;
    let system = workers.first().ok_or("the workspace has no worker for `system`")?;
    let contenders: Vec<Worker> = [system.clone()]
        .into_iter()
        .chain(arguments.preload.iter().map(|library| system.clone().preloading(&library.name, &library.path)))
        .collect();
    let there = |original: &&Original| arguments.programs.join(original.program).is_file();
    let wanted: Vec<&Original> =
        ORIGINALS.iter().filter(|original| arguments.program.is_match(original.program)).filter(there).collect();
    if wanted.is_empty() {
        return Err(format!("no program in {} is wanted", arguments.programs.display()));
    }
    println!("{HEADING}");
    for original in wanted {
        let theirs = theirs(original, arguments)?;
        for variant in original.ours {
            eprintln!("{}: {}", original.program, variant.name);
            let ours = ours::measure(&(variant.parts)(), &contenders, arguments.pairs)?;
            for (place, library) in (1..).zip(&arguments.preload) {
                println!("{}", row([original.program, variant.name, &library.name], &theirs, &ours, place));
            }
        }
    }
    println!("\n{}", agreement::LEGEND);
    println!("\nThe programs' arguments: {}.", commands(arguments));
    Ok(())
}

/// How the programs were called.
fn commands(arguments: &Arguments) -> String {
    let wanted = ORIGINALS.iter().filter(|original| arguments.program.is_match(original.program));
    let command = |original: &Original| format!("`{}`", [&[original.program], original.arguments].concat().join(" "));
    wanted.map(command).collect::<Vec<_>>().join(", ")
}

/// Runs a program under every allocator, each once before any of them runs again.
fn theirs(original: &Original, arguments: &Arguments) -> Result<Scores, String> {
    let program = arguments.programs.join(original.program);
    let mut scores = Scores::of(1 + arguments.preload.len());
    let mut rng = Rng::with_seed(1);
    for pair in 1..=arguments.pairs {
        eprintln!("{}: {pair} of {}", original.program, arguments.pairs);
        let mut order: Vec<usize> = (0..=arguments.preload.len()).collect();
        rng.shuffle(&mut order);
        for place in order {
            let library = place.checked_sub(1).map(|place| &arguments.preload[place]);
            let run = program::run(&program, original.arguments, library)?;
            let units = original.work.units(&run.output).ok_or_else(|| {
                format!("{} printed nothing of what it did, but {:?}", original.program, run.output.trim())
            })?;
            scores.push(place, run.cpu.as_secs_f64() * 1e9 / units);
        }
    }
    Ok(scores)
}

const HEADING: &str = "| program | workload | library | CPU time for a unit under the C library's malloc: program | \
                       workload | library ÷ C library: program | workload | |\n|---|---|---|--:|--:|--:|--:|---|";

fn row(names: [&str; 3], theirs: &Scores, ours: &Scores, place: usize) -> String {
    let [program, workload, library] = names;
    format!(
        "| {program} | `{workload}` | {library} | {} | {} | {} | {} | {} |",
        score::time(theirs.median(0)),
        score::time(ours.median(0)),
        score::ratio(theirs.against(place)),
        score::ratio(ours.against(place)),
        Agreement::of(theirs.against(place), ours.against(place)),
    )
}

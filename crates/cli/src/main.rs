//! heapmark: which global allocator, for my program?

mod args;
mod build;
mod exit;
mod list;
mod progress;
mod report;
mod run;
mod select;

use clap::Parser;

use crate::args::{Arguments, Verb};
use crate::exit::Exit;

fn main() -> std::process::ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.verb {
        Verb::List(list) => list::list(&list),
        Verb::Build(build) => build::build(&build),
        Verb::Run(run) => run::run(&run),
        Verb::Report(report) => report::report(&report),
    };
    let exit = result.unwrap_or_else(|error| {
        eprintln!("heapmark: {error}");
        Exit::of(&error)
    });
    exit.into()
}

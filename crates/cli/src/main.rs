//! heapmark: which global allocator, for my program?

mod args;
mod build;
mod cmp;
mod completions;
mod doctor;
mod exit;
mod list;
mod man;
mod plan;
mod print;
mod progress;
mod rank;
mod records;
mod report;
mod run;
mod select;
mod values;
mod write;

use crate::args::{Arguments, Verb};
use crate::exit::Exit;
use crate::print::{Output, say};

fn main() -> std::process::ExitCode {
    let arguments = Arguments::read();
    let output = Output::new(arguments.color);
    let result = match arguments.verb {
        Verb::List(list) => list::list(&list, &output),
        Verb::Build(build) => build::build(&build, &output),
        Verb::Run(run) => run::run(&run, &output),
        Verb::Cmp(cmp) => cmp::cmp(&cmp, &output),
        Verb::Rank(rank) => rank::rank(&rank, &output),
        Verb::Report(report) => report::report(&report, &output),
        Verb::Doctor(doctor) => doctor::doctor(&doctor, &output),
        Verb::Completions(completions) => completions::completions(&completions, &output),
        Verb::Man(man) => man::man(&man, &output),
    };
    let exit = result.unwrap_or_else(|error| {
        say(format_args!("heapmark: {error}"));
        Exit::of(&error)
    });
    exit.into()
}

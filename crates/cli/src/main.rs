//! heapmark: which global allocator, for my program?

mod args;
mod build;
mod cmp;
mod completions;
mod doctor;
mod document;
mod exit;
mod family;
mod interrupt;
mod list;
mod load;
mod man;
mod new;
mod plan;
mod print;
mod probes;
mod progress;
mod rank;
mod records;
mod report;
mod run;
mod select;
mod serve;
mod values;
mod verify;
mod write;

use crate::args::{Arguments, Verb};
use crate::exit::Exit;
use crate::print::{Output, say};

fn main() -> std::process::ExitCode {
    let arguments = Arguments::read();
    let output = Output::new(arguments.color);
    let result = match arguments.verb {
        Verb::List(list) => list::list(list, &output),
        Verb::New(new) => new::new(&new, &output),
        Verb::Build(build) => build::build(build, &output),
        Verb::Run(run) => run::run(*run, &output),
        Verb::Cmp(cmp) => cmp::cmp(&cmp, &output),
        Verb::Rank(rank) => rank::rank(&rank, &output),
        Verb::Report(report) => report::report(&report, &output),
        Verb::Verify(verify) => verify::verify(&verify, &output),
        Verb::Load(loading) => load::load(&loading, &output),
        Verb::Serve(serve) => serve::serve(serve, &output),
        Verb::Doctor(doctor) => doctor::doctor(&doctor, &output),
        Verb::Completions(completions) => completions::completions(&completions, &output),
        Verb::Man(man) => man::man(&man, &output),
    };
    let exit = result.unwrap_or_else(|error| {
        say(format_args!("heapmark: {}", one_line(&error.to_string())));
        Exit::of(&error)
    });
    exit.into()
}

/// A reason on one line, whatever it quotes: names of files and texts of records can hold anything.
fn one_line(text: &str) -> String {
    let escape = |letter: char| if letter.is_control() { letter.escape_default().to_string() } else { letter.into() };
    text.chars().map(escape).collect()
}

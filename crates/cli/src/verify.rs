//! `heapmark verify`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use heapmark::verify::{Soundness, Verification};
use heapmark::{Error, view};
use regex::Regex;

use crate::args::{ContenderSelection, MoreContenders};
use crate::document::{code, command_line, splice};
use crate::exit::Exit;
use crate::interrupt::cancel_on_interrupt;
use crate::print::Output;
use crate::progress::Verifying;
use crate::select;

#[derive(Debug, Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) contenders: ContenderSelection,
    #[command(flatten)]
    pub(crate) more: MoreContenders,
    /// Only checks whose name matches
    #[arg(long, value_name = "REGEX")]
    pub(crate) check: Vec<Regex>,
    /// Make each check so many times; the worst counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeat: u32,
    /// How long a check may take before its worker counts as hanging
    #[arg(long, value_name = "TIME", default_value = "120s", value_parser = humantime::parse_duration)]
    pub(crate) deadline: std::time::Duration,
    /// How to show it [default: text, or markdown with --splice]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Replace what stands between the lines `<!-- heapmark:begin -->` and `<!-- heapmark:end -->` of this file by the table,
    /// with the command that made it
    #[arg(long, value_name = "FILE")]
    pub(crate) splice: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A table and notes, for a terminal
    Text,
    /// The same in Markdown
    Markdown,
    /// For programs
    Json,
}

/// Makes the checks and shows what they came to. Anything that failed makes the exit code 1.
pub(crate) fn verify(arguments: &Verify, output: &Output) -> Result<Exit, Error> {
    let default = if arguments.splice.is_some() { Format::Markdown } else { Format::Text };
    let format = arguments.format.unwrap_or(default);
    if arguments.splice.is_some() && format != Format::Markdown {
        return Err(Error::Usage("only a table in Markdown can stand in a document: --format markdown".into()));
    }
    let contenders = select::examined(&arguments.contenders, &arguments.more)?;
    let wanted = arguments.check.clone();
    let progress = Verifying::new();
    let soundness = Verification::new(contenders)
        .checks(move |name| select::passes(name, &wanted, &[]))
        .repeat(arguments.repeat)
        .deadline(arguments.deadline)
        .cancel(cancel_on_interrupt()?)
        .run(&mut |event| progress.event(&event))?;
    drop(progress);
    show(&soundness, format, arguments.splice.as_deref(), output)?;
    Ok(if soundness.failures().next().is_some() { Exit::Failure } else { Exit::Pass })
}

fn show(
    soundness: &Soundness,
    format: Format,
    document: Option<&std::path::Path>,
    output: &Output,
) -> Result<(), Error> {
    match (format, document) {
        (Format::Text, _) => output.line(view::soundness(soundness, output.screen())),
        (Format::Json, _) => output.json(soundness),
        (Format::Markdown, None) => output.line(view::soundness_markdown(soundness)),
        (Format::Markdown, Some(path)) => {
            let table = view::soundness_markdown(soundness);
            splice(path, &format!("{table}\n\nMade by {}.", code(&command_line())))
        }
    }
}

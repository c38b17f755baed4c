//! `heapmark report`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use heapmark::{Error, view};

use crate::args::{Judging, RecordSelection};
use crate::document::{code, command_line, splice};
use crate::exit::Exit;
use crate::print::Output;
use crate::records::{self, Judged};

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The record, as `heapmark run` wrote it
    #[arg(value_name = "RECORD")]
    pub(crate) record: PathBuf,
    #[command(flatten)]
    pub(crate) judging: Judging,
    #[command(flatten)]
    pub(crate) selection: RecordSelection,
    /// How to show it [default: text, or table with --splice]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Replace what stands between the lines `<!-- heapmark:begin -->` and `<!-- heapmark:end -->` of this file by the table
    /// or page, with the command that made it
    #[arg(long, value_name = "FILE")]
    pub(crate) splice: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// What `run` printed, for a terminal
    Text,
    /// The table in Markdown
    Table,
    /// A whole page in Markdown: table, machine, contenders, settings
    Page,
    /// The raw samples as comma-separated values, a line for each
    Csv,
    /// The outcome: estimates, intervals and verdicts of all contenders
    Json,
}

/// Shows a record, on standard output or in the middle of a document.
pub(crate) fn report(arguments: &Report, output: &Output) -> Result<Exit, Error> {
    let default = if arguments.splice.is_some() { Format::Table } else { Format::Text };
    let format = arguments.format.unwrap_or(default);
    if arguments.splice.is_some() && !matches!(format, Format::Table | Format::Page) {
        return Err(Error::Usage("only a table or a page can stand in a document: --format table or page".into()));
    }
    let mut all = records::read(std::slice::from_ref(&arguments.record), &arguments.judging, &arguments.selection)?;
    if arguments.selection.list {
        records::list(&all, output)?;
        return Ok(Exit::Pass);
    }
    let Some(judged) = all.pop() else { return Ok(Exit::NothingSelected) };
    let outcome = &judged.outcome;
    let command = command_line();
    match (format, &arguments.splice) {
        (Format::Text, _) => output.outcome(&judged.record, outcome)?,
        (Format::Csv, _) => output.write(&view::samples_csv(&judged.record, |case, name| judged.shows(case, name)))?,
        (Format::Json, _) => output.json(outcome)?,
        (Format::Table, None) => output.line(view::table(outcome, view::Style::Markdown))?,
        (Format::Table, Some(path)) => {
            let table = view::table(outcome, view::Style::Markdown);
            splice(path, &format!("{table}\n\nMade by {}.", code(&command)))?;
        }
        (Format::Page, None) => output.write(&page(&judged, &command))?,
        (Format::Page, Some(path)) => splice(path, &page(&judged, &command))?,
    }
    Ok(Exit::Pass)
}

fn page(judged: &Judged, command: &str) -> String {
    let mut record = judged.record.clone();
    let shown = |name: &str| judged.outcome.cases.iter().any(|case| judged.shows(&case.case, name));
    record.contenders.retain(|row| shown(&row.name));
    view::page(&record, &judged.outcome, &code(command))
}

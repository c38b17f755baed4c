//! `heapmark report`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use heapmark::view::Screen;
use heapmark::{Case, CaseOutcome, Error, Outcome, Scaling, Sensitivity, Series, Served, view};
use serde::Serialize;

use crate::args::{Judging, RecordSelection};
use crate::document::{code, command_line, splice};
use crate::exit::Exit;
use crate::print::{Output, told};
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
    /// What to show of it
    #[arg(long, value_enum, default_value_t = Shown::Outcome)]
    pub(crate) view: Shown,
    /// How to show it [default: text, or table with --splice]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Replace what stands between the lines `<!-- heapmark:begin -->` and `<!-- heapmark:end -->` of this file by the table
    /// or page, with the command that made it
    #[arg(long, value_name = "FILE")]
    pub(crate) splice: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shown {
    /// Who is faster, who is leaner
    Outcome,
    /// Requests in full: per second, per CPU second, errors, latency with all percentiles
    Requests,
    /// Throughput and memory over the time of a sample, and whether they keep up; as CSV a line for each turn
    Series,
    /// Over threads, connections or another number: curves, the Universal Scalability Law, memory for each
    Scaling,
    /// How much each workload gains from its allocator: best against worst
    Sensitivity,
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
    if format == Format::Page && arguments.view != Shown::Outcome {
        return Err(Error::Usage("a page shows everything; leave out --view, or choose another format".into()));
    }
    match (format, arguments.view) {
        (Format::Text, _) => output.line(text(arguments.view, &judged, output.screen())?)?,
        (Format::Csv, _) => output.write(&csv(arguments.view, &judged)?)?,
        (Format::Json, Shown::Outcome) => output.json(outcome)?,
        (Format::Json, Shown::Requests) => output.json(&served(outcome)?)?,
        (Format::Json, Shown::Series) => output.json(&some(Series::of(&judged.record, outcome), NO_SERIES)?)?,
        (Format::Json, Shown::Scaling) => output.json(&some(Scaling::of(&judged.record, outcome), NO_SWEEP)?)?,
        (Format::Json, Shown::Sensitivity) => {
            output.json(&some(Sensitivity::of(&judged.record, outcome), NOBODY_TO_COMPARE)?)?;
        }
        (Format::Table, _) => {
            let table = table(arguments.view, &judged)?;
            match &arguments.splice {
                None => output.line(table)?,
                Some(path) => splice(path, &format!("{table}\n\nMade by {}.", code(&command)))?,
            }
        }
        (Format::Page, _) => {
            let page = page(&judged, &command);
            match &arguments.splice {
                None => output.write(&page)?,
                Some(path) => splice(path, &page)?,
            }
        }
    }
    Ok(Exit::Pass)
}

/// What is said where a record has nothing of what was asked for.
const NO_REQUESTS: &str = "no selected workload of this record serves requests";
const NO_SERIES: &str = "no selected sample of this record has two turns";
const NO_SWEEP: &str = "no selected workloads of this record differ in one number only; \
                        `heapmark run --sweep threads=1,2,4,8` measures such";
const NOBODY_TO_COMPARE: &str = "no selected workload of this record has two contenders to compare";

fn text(shown: Shown, judged: &Judged, screen: &Screen) -> Result<String, Error> {
    let (record, outcome) = (&judged.record, &judged.outcome);
    match shown {
        Shown::Outcome => Ok(told(record, outcome, screen)),
        Shown::Requests => there(view::requests_text(outcome, screen), NO_REQUESTS),
        Shown::Series => there(view::series_text(&Series::of(record, outcome), screen), NO_SERIES),
        Shown::Scaling => there(view::scaling_text(&Scaling::of(record, outcome), screen), NO_SWEEP),
        Shown::Sensitivity => {
            there(view::sensitivity_text(&Sensitivity::of(record, outcome), screen), NOBODY_TO_COMPARE)
        }
    }
}

fn table(shown: Shown, judged: &Judged) -> Result<String, Error> {
    let (record, outcome) = (&judged.record, &judged.outcome);
    match shown {
        Shown::Outcome => Ok(view::table(outcome, view::Style::Markdown)),
        Shown::Requests => there(view::requests_markdown(outcome), NO_REQUESTS),
        Shown::Series => there(view::series_markdown(&Series::of(record, outcome)), NO_SERIES),
        Shown::Scaling => there(view::scaling_markdown(&Scaling::of(record, outcome)), NO_SWEEP),
        Shown::Sensitivity => there(view::sensitivity_markdown(&Sensitivity::of(record, outcome)), NOBODY_TO_COMPARE),
    }
}

fn csv(shown: Shown, judged: &Judged) -> Result<String, Error> {
    let (record, outcome) = (&judged.record, &judged.outcome);
    match shown {
        Shown::Outcome => Ok(view::samples_csv(record, |case, name| judged.shows(case, name))),
        Shown::Requests => there(view::requests_csv(outcome), NO_REQUESTS),
        Shown::Series => Ok(view::series_csv(record, |case, name| judged.shows(case, name))),
        Shown::Scaling => there(view::scaling_csv(&Scaling::of(record, outcome)), NO_SWEEP),
        Shown::Sensitivity => there(view::sensitivity_csv(&Sensitivity::of(record, outcome)), NOBODY_TO_COMPARE),
    }
}

/// A view, or why there is none.
fn there(view: Option<String>, why_not: &str) -> Result<String, Error> {
    view.ok_or_else(|| Error::NothingSelected(why_not.into()))
}

/// All of them, or why there is none.
fn some<T>(all: Vec<T>, why_not: &str) -> Result<Vec<T>, Error> {
    if all.is_empty() { Err(Error::NothingSelected(why_not.into())) } else { Ok(all) }
}

/// The requests of one case.
#[derive(Debug, Serialize)]
struct RequestsOf<'a> {
    #[serde(flatten)]
    case: &'a Case,
    unit: &'a str,
    contenders: Vec<ServedBy<'a>>,
}

/// The requests of one contender.
#[derive(Debug, Serialize)]
struct ServedBy<'a> {
    name: &'a str,
    #[serde(flatten)]
    served: &'a Served,
}

fn served(outcome: &Outcome) -> Result<Vec<RequestsOf<'_>>, Error> {
    let cases = outcome.cases.iter().filter(|case| case.is_served());
    some(cases.map(requests_of).collect(), NO_REQUESTS)
}

fn requests_of(case: &CaseOutcome) -> RequestsOf<'_> {
    let served = case
        .contenders
        .iter()
        .filter_map(|contender| Some(ServedBy { name: &contender.name, served: contender.served.as_ref()? }));
    RequestsOf { case: &case.case, unit: &case.unit, contenders: served.collect() }
}

fn page(judged: &Judged, command: &str) -> String {
    let mut record = judged.record.clone();
    let shown = |name: &str| judged.outcome.cases.iter().any(|case| judged.shows(&case.case, name));
    record.contenders.retain(|row| shown(&row.name));
    view::page(&record, &judged.outcome, &code(command))
}

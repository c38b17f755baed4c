//! `heapmark cmp`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use heapmark::{Error, Judgement, Quantity, judgements, view};

use crate::args::{Judging, RecordSelection};
use crate::exit::Exit;
use crate::print::Output;
use crate::records::{self, Judged};
use crate::values::quantity;

#[derive(Debug, Args)]
pub(crate) struct Cmp {
    /// Records, as `heapmark run` wrote them. Several must be of the same revision, machine, builds and sizes
    #[arg(value_name = "RECORD", required = true)]
    pub(crate) records: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) judging: Judging,
    #[command(flatten)]
    pub(crate) selection: RecordSelection,
    /// Only these: throughput, wall, cpu, peak-rss, retained, slope, p50, p99, p999, max-latency [default: all; latencies only
    /// where they count from when a request was due, or are of servers that ran undisturbed]
    #[arg(long, value_name = "METRIC", value_delimiter = ',', value_parser = quantity)]
    pub(crate) metric: Vec<Quantity>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A table for a terminal
    Text,
    /// An array of objects
    Json,
    /// Comma-separated values
    Csv,
    /// A table in Markdown
    Md,
}

/// The rows of a record. Latencies of servers that took turns in a closed loop are no verdict unless they were asked for: a
/// client that waits for its answer before it asks again does not see how long the server kept others waiting.
fn asked_for(judged: &Judged, quantities: &[Quantity], by_name: bool) -> Vec<Judgement> {
    let mut rows = judgements(&judged.outcome, &judged.name, quantities);
    let decides = |row: &Judgement| {
        let case = row.case();
        judged.outcome.cases.iter().any(|outcome| outcome.case == case && outcome.latency_decides())
    };
    rows.retain(|row| by_name || !row.metric.is_latency() || decides(row));
    rows
}

/// Prints a row for each workload, contender and metric. A contender that failed has rows with the verdict `error`.
pub(crate) fn cmp(arguments: &Cmp, output: &Output) -> Result<Exit, Error> {
    let all = records::read(&arguments.records, &arguments.judging, &arguments.selection)?;
    if arguments.selection.list {
        records::list(&all, output)?;
        return Ok(Exit::Pass);
    }
    let quantities: Vec<Quantity> =
        Quantity::ALL.into_iter().filter(|q| arguments.metric.is_empty() || arguments.metric.contains(q)).collect();
    let rows: Vec<Judgement> =
        all.iter().flat_map(|judged| asked_for(judged, &quantities, !arguments.metric.is_empty())).collect();
    match arguments.format {
        Format::Text => output.line(view::judgements_text(&rows, output.screen()))?,
        Format::Json => output.json(&rows)?,
        Format::Csv => output.write(&view::judgements_csv(&rows))?,
        Format::Md => output.line(view::judgements_markdown(&rows))?,
    }
    Ok(Exit::Pass)
}

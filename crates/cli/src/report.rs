//! `heapmark report`

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use heapmark::{Error, view};

use crate::args::{Judging, RecordSelection};
use crate::exit::Exit;
use crate::print::Output;
use crate::records::{self, Judged};
use crate::write;

const BEGIN: &str = "<!-- heapmark:begin -->";
const END: &str = "<!-- heapmark:end -->";

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
    let command = command(std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()));
    match (format, &arguments.splice) {
        (Format::Text, _) => output.line(view::text(outcome, output.screen()))?,
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

/// The command as it was typed, for someone to type again.
fn command(words: impl Iterator<Item = String>) -> String {
    let quoted = words.map(|word| {
        let is_plain = |letter: char| letter.is_alphanumeric() || "_-./=:,@%+".contains(letter);
        if !word.is_empty() && word.chars().all(is_plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
    });
    std::iter::once("heapmark".to_owned()).chain(quoted).collect::<Vec<_>>().join(" ")
}

/// Code in a line of Markdown: between more backticks than stand in it, and on one line.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 { format!("{fence}{text}{fence}") } else { format!("{fence} {text} {fence}") }
}

/// Replaces what stands between the two marker lines. The file is written whole or not at all.
fn splice(path: &Path, text: &str) -> Result<(), Error> {
    let fail = |source| Error::File { action: "cannot read", path: path.to_owned(), source };
    let document = std::fs::read_to_string(path).map_err(fail)?;
    let spliced = spliced(&document, text)
        .ok_or_else(|| Error::Usage(format!("{} lacks the lines {BEGIN} and {END}, in this order", path.display())))?;
    write::replace(path, spliced.as_bytes())
}

fn spliced(document: &str, text: &str) -> Option<String> {
    let (before, rest) = document.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{}\n{END}{after}", text.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_markers_changes() {
        let document = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        let new = spliced(&document, "new\n").unwrap();
        assert_eq!(new, format!("a\n{BEGIN}\nnew\n{END}\nb\n"));
        assert_eq!(spliced(&new, "new\n").unwrap(), new, "twice is the same as once");
        for broken in ["", BEGIN, END, &format!("{END}{BEGIN}")] {
            assert_eq!(spliced(broken, "new"), None);
        }
    }

    #[test]
    fn a_command_can_be_typed_again() {
        let words = ["report", "--format=page", "my run.jsonl", "it's", "", "-w", "^graph/.*$"];
        let command = command(words.into_iter().map(str::to_owned));
        assert_eq!(command, r"heapmark report --format=page 'my run.jsonl' 'it'\''s' '' -w '^graph/.*$'");
    }

    #[test]
    fn a_command_stays_code_whatever_it_holds() {
        assert_eq!(code("a b"), "`a b`");
        assert_eq!(code("a `` b\nc"), "``` a `` b c ```");
    }
}

//! `heapmark list`

use clap::{Args, ValueEnum};
use heapmark::record::{ContenderRow, IdentityRow, Role};
use heapmark::{Catalogue, Comparison, Contender, Error, Event, Settings, Status, WorkloadInfo, view};
use serde::Serialize;

use crate::args::ContenderSelection;
use crate::exit::Exit;
use crate::print::Output;

#[derive(Debug, Args)]
pub(crate) struct List {
    /// A workload to explain in full
    #[arg(value_name = "WORKLOAD")]
    pub(crate) name: Option<String>,
    /// Workloads only
    #[arg(long)]
    pub(crate) workloads: bool,
    #[command(flatten)]
    pub(crate) contenders: ContenderSelection,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables, for a terminal
    Text,
    /// For programs
    Json,
}

/// What can be compared, and on what.
#[derive(Serialize)]
struct Listing<'a> {
    contenders: Vec<Listed<'a>>,
    workloads: &'a [WorkloadInfo],
}

/// A contender with how it introduced itself, side by side; the latter is missing where it could not.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    #[serde(flatten)]
    status: &'a Status,
    #[serde(flatten)]
    identity: Option<&'a IdentityRow>,
}

impl<'a> Listed<'a> {
    fn of(row: &'a ContenderRow) -> Self {
        Self { name: &row.name, status: &row.status, identity: row.identity.as_ref() }
    }
}

/// Prints allocators and workloads, or one workload in full. Backends that lie apart are built only where they are named, and
/// else listed as what they are: not built.
pub(crate) fn list(arguments: &List, output: &Output) -> Result<Exit, Error> {
    let unnamed = arguments.contenders.unnamed_apart()?;
    let takes = |name: &str| arguments.contenders.takes(name) && !unnamed.iter().any(|unnamed| unnamed == name);
    let workers = arguments.contenders.workers(takes)?;
    let settings = Settings { twin: false, ..Settings::default() };
    let contenders = workers.into_iter().map(Contender::plain);
    let session = Comparison::new(contenders).counters_too().settings(settings).open(&mut |_: Event<'_>| {})?;
    let catalogue = session.catalogue();
    if let Some(name) = &arguments.name {
        let workload = find(catalogue, name)?;
        match arguments.format {
            Format::Text => output.write(&view::workload(workload))?,
            Format::Json => output.json(workload)?,
        }
        return Ok(Exit::Pass);
    }
    let asked: &[ContenderRow] = if arguments.workloads { &[] } else { &session.record().contenders };
    let failed = asked.iter().any(|row| !row.status.is_ok());
    let mut rows = asked.to_vec();
    if !arguments.workloads {
        rows.extend(unnamed.iter().map(|name| not_asked(name)));
    }
    match arguments.format {
        Format::Json => output
            .json(&Listing { contenders: rows.iter().map(Listed::of).collect(), workloads: &catalogue.workloads })?,
        Format::Text => {
            if !rows.is_empty() {
                output.line(view::contenders(&rows, view::Style::Text) + "\n")?;
            }
            output.line(view::workloads(catalogue))?;
        }
    }
    Ok(if failed { Exit::Failure } else { Exit::Pass })
}

/// The row of a backend that is not built, since nobody named it.
fn not_asked(name: &str) -> ContenderRow {
    let detail = format!("it takes part only where it is named; `heapmark list -a '^{name}$'` builds it");
    ContenderRow {
        name: name.to_owned(),
        role: Role::Contender,
        status: Status::NotBuilt { detail },
        backend: name.to_owned(),
        set: Vec::new(),
        identity: None,
    }
}

fn find<'a>(catalogue: &'a Catalogue, name: &str) -> Result<&'a WorkloadInfo, Error> {
    catalogue.check(&heapmark::Case::new(name))
}

//! `heapmark list`

use clap::{Args, ValueEnum};
use heapmark::configuration::{Configuration, READY_MADE};
use heapmark::record::{ContenderRow, IdentityRow, Role};
use heapmark::{Catalogue, Comparison, Contender, Error, Event, Settings, Status, Surroundings, WorkloadInfo, view};
use serde::Serialize;

use crate::args::{ContenderSelection, MoreContenders};
use crate::exit::Exit;
use crate::family;
use crate::print::{Output, say};
use crate::select;

#[derive(Debug, Args)]
pub(crate) struct List {
    /// A workload to explain in full
    #[arg(value_name = "WORKLOAD")]
    pub(crate) name: Option<String>,
    /// Workloads only
    #[arg(long)]
    pub(crate) workloads: bool,
    /// The sets that can be named, ready-made ones and those of heapmark.toml, and nothing else
    #[arg(long, conflicts_with_all = ["workloads", "name"])]
    pub(crate) sets: bool,
    #[command(flatten)]
    pub(crate) contenders: ContenderSelection,
    #[command(flatten)]
    pub(crate) more: MoreContenders,
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

/// A set of contenders or workloads.
#[derive(Serialize)]
struct Set {
    /// What `--with-set` or `--set` takes.
    name: String,
    /// Whether it comes with heapmark.
    ready_made: bool,
    /// What it shows; empty for sets of the configuration file.
    summary: String,
    /// Contenders or workloads, as they are written.
    members: Vec<String>,
}

/// The sets that can be named.
#[derive(Serialize)]
struct Sets {
    contenders: Vec<Set>,
    workloads: Vec<Set>,
}

/// Prints allocators and workloads, or one workload in full. Backends that lie apart are built only where they are named, and
/// else listed as what they are: not built.
pub(crate) fn list(mut arguments: List, output: &Output) -> Result<Exit, Error> {
    let families = if arguments.sets { Vec::new() } else { Surroundings::find()?.families()? };
    let is_of = |family: &&String| arguments.name.as_deref().is_some_and(|name| family::is_of(name, family));
    arguments.contenders.family = families.iter().find(is_of).cloned();
    let arguments = &arguments;
    let configuration = arguments.contenders.configuration()?;
    if arguments.sets {
        return list_sets(configuration, arguments.format, output);
    }
    let members = arguments.more.named(configuration)?;
    let backends = select::backends(&members, configuration)?;
    // What a workload is can be told by anybody, so one is enough.
    let one = arguments.name.as_ref().map(|_| arguments.contenders.one_worker()).transpose()?;
    let mut unnamed = arguments.contenders.unnamed_apart()?;
    unnamed.retain(|name| !backends.contains(name));
    let selected = |name: &str| match &one {
        Some(one) => one == name,
        None => arguments.contenders.takes(name) && !unnamed.iter().any(|unnamed| unnamed == name),
    };
    let workers = arguments.contenders.workers(|name| selected(name) || backends.iter().any(|b| b == name))?;
    let settings = Settings { twin: false, ..Settings::default() };
    let mut contenders: Vec<Contender> =
        workers.iter().filter(|worker| selected(&worker.name)).cloned().map(Contender::plain).collect();
    select::add(&members, configuration, &workers, &mut contenders)?;
    let session = Comparison::new(contenders).counters_too().settings(settings).open(&mut |_: Event<'_>| {})?;
    let mut catalogue = session.catalogue().clone();
    if let Some(name) = &arguments.name {
        let workload = find(&catalogue, name)?;
        match arguments.format {
            Format::Text => output.write(&view::workload(workload, output.screen()))?,
            Format::Json => output.json(workload)?,
        }
        return Ok(Exit::Pass);
    }
    for family in &families {
        add_family(family, &mut catalogue)?;
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
                output.line(view::contenders(&rows, view::Style::Text, output.screen()) + "\n")?;
            }
            output.line(view::workloads(&catalogue, output.screen()))?;
        }
    }
    Ok(if failed { Exit::Failure } else { Exit::Pass })
}

/// Adds what the workers of a family offer that has its own: one of them is asked. Where it cannot be, that is said, and the others
/// are listed all the same.
fn add_family(family: &str, catalogue: &mut Catalogue) -> Result<(), Error> {
    let workers = Surroundings::find_for(Some(family))?.workers(|name| name == select::SYSTEM)?;
    match Comparison::of(workers).catalogue() {
        Ok(theirs) => {
            catalogue.workloads.extend(theirs.workloads);
            catalogue.sets.extend(theirs.sets);
        }
        Err(error) => say(format_args!("the workloads of {family} are not listed: {error}")),
    }
    Ok(())
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

/// The sets of the configuration file, and those ready-made ones that they do not hide.
fn list_sets(configuration: &Configuration, format: Format, output: &Output) -> Result<Exit, Error> {
    let own = |(name, members): (&str, Vec<String>)| Set {
        name: name.into(),
        ready_made: false,
        summary: String::new(),
        members,
    };
    let text = |members: &[_]| members.iter().map(ToString::to_string).collect::<Vec<String>>();
    let mut contenders: Vec<Set> =
        configuration.contender_sets().map(|(name, members)| own((name, text(members)))).collect();
    let hidden = |name: &str| configuration.contender_sets().any(|(own, _)| own == name);
    contenders.extend(READY_MADE.iter().filter(|set| !hidden(set.name)).map(|set| Set {
        name: set.name.into(),
        ready_made: true,
        summary: set.summary.into(),
        members: set.contenders.iter().map(ToString::to_string).collect(),
    }));
    let workloads = configuration.workload_sets().map(|(name, cases)| {
        let cases = cases.iter().map(ToString::to_string).collect();
        own((name, cases))
    });
    let sets = Sets { contenders, workloads: workloads.collect() };
    match format {
        Format::Json => output.json(&sets)?,
        Format::Text => {
            let show = |set: &Set| view::set(&set.name, &set.summary, &set.members);
            output.line("sets of contenders, for --with-set:")?;
            sets.contenders.iter().try_for_each(|set| output.line(show(set)))?;
            if !sets.workloads.is_empty() {
                output.line("\nsets of workloads, for --set:")?;
                sets.workloads.iter().try_for_each(|set| output.line(show(set)))?;
            }
        }
    }
    Ok(Exit::Pass)
}

//! `heapmark list`

use heapmark::record::ContenderRow;
use heapmark::{Catalogue, Comparison, Contender, Error, Event, Settings, WorkloadInfo, view};
use serde::Serialize;

use crate::args::{List, ListFormat};
use crate::exit::Exit;

/// What can be compared, and on what.
#[derive(Serialize)]
struct Listing<'a> {
    contenders: &'a [ContenderRow],
    workloads: &'a [WorkloadInfo],
}

/// Prints allocators and workloads, or one workload in full.
pub(crate) fn list(arguments: &List) -> Result<Exit, Error> {
    let workers = arguments.contenders.workers(|name| arguments.contenders.takes(name))?;
    let settings = Settings { twin: false, ..Settings::default() };
    let contenders = workers.into_iter().map(Contender::plain);
    let session = Comparison::new(contenders).counters_too().settings(settings).open(&mut |_: Event<'_>| {})?;
    let catalogue = session.catalogue();
    if let Some(name) = &arguments.name {
        let workload = find(catalogue, name)?;
        match arguments.format {
            ListFormat::Text => print!("{}", view::workload(workload)),
            ListFormat::Json => print_json(workload)?,
        }
        return Ok(Exit::Pass);
    }
    let rows: &[ContenderRow] = if arguments.workloads { &[] } else { &session.record().contenders };
    match arguments.format {
        ListFormat::Json => print_json(&Listing { contenders: rows, workloads: &catalogue.workloads })?,
        ListFormat::Text => {
            if !rows.is_empty() {
                println!("{}\n", view::contenders(rows, view::Style::Text));
            }
            println!("{}", view::workloads(catalogue));
        }
    }
    let failed = rows.iter().any(|row| !row.status.is_ok());
    Ok(if failed { Exit::Failure } else { Exit::Pass })
}

fn find<'a>(catalogue: &'a Catalogue, name: &str) -> Result<&'a WorkloadInfo, Error> {
    catalogue.check(&heapmark::Case::new(name))
}

fn print_json(value: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Error::Usage(error.to_string()))?;
    println!("{text}");
    Ok(())
}

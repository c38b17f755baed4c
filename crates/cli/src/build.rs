//! `heapmark build`

use clap::Args;
use heapmark::Error;

use crate::args::ContenderSelection;
use crate::exit::Exit;
use crate::family;
use crate::print::Output;

#[derive(Debug, Args)]
pub(crate) struct Build {
    #[command(flatten)]
    pub(crate) contenders: ContenderSelection,
    /// The workers of a family of workloads that has its own, such as service, in the place of the standard ones
    #[arg(long, value_name = "FAMILY")]
    pub(crate) family: Option<String>,
    /// Only say which would be built
    #[arg(long)]
    pub(crate) list: bool,
}

/// Builds the workers and prints a line for each: its name, and its program or why there is none. Backends that lie apart
/// are built only where they are named.
pub(crate) fn build(mut arguments: Build, output: &Output) -> Result<Exit, Error> {
    if let Some(family) = &arguments.family {
        family::check(family)?;
    }
    arguments.contenders.family = arguments.family.take();
    let arguments = &arguments;
    let unnamed = arguments.contenders.unnamed_apart()?;
    let takes = |name: &str| arguments.contenders.takes(name) && !unnamed.iter().any(|unnamed| unnamed == name);
    if arguments.list {
        return list(arguments, takes, output);
    }
    let workers = arguments.contenders.workers(takes)?;
    let mut exit = Exit::Pass;
    for worker in workers {
        match &worker.program {
            Ok(program) => {
                let library = worker.preload.as_ref().map(|library| format!("\tpreloading {}", library.display()));
                output.line(format_args!("{}\t{}{}", worker.name, program.display(), library.unwrap_or_default()))?;
            }
            Err(reason) => {
                output.line(format_args!("{}\tnot built: {reason}", worker.name))?;
                exit = Exit::Failure;
            }
        }
    }
    Ok(exit)
}

fn list(arguments: &Build, takes: impl Fn(&str) -> bool, output: &Output) -> Result<Exit, Error> {
    let names = arguments.contenders.surroundings()?.names()?;
    let selected: Vec<String> = names.into_iter().filter(|name| takes(name)).collect();
    if selected.is_empty() {
        return Err(arguments.contenders.nothing()?);
    }
    output.line(selected.join("\n"))?;
    Ok(Exit::Pass)
}

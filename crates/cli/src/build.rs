//! `heapmark build`

use clap::Args;
use heapmark::{Error, Surroundings};

use crate::args::ContenderSelection;
use crate::exit::Exit;
use crate::print::Output;

#[derive(Debug, Args)]
pub(crate) struct Build {
    #[command(flatten)]
    pub(crate) contenders: ContenderSelection,
    /// Only say which would be built
    #[arg(long)]
    pub(crate) list: bool,
}

/// Builds the workers and prints a line for each: its name, and its program or why there is none.
pub(crate) fn build(arguments: &Build, output: &Output) -> Result<Exit, Error> {
    if arguments.list {
        return list(arguments, output);
    }
    let workers = arguments.contenders.workers(|name| arguments.contenders.takes(name))?;
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

fn list(arguments: &Build, output: &Output) -> Result<Exit, Error> {
    let names = Surroundings::find()?.names()?;
    let selected: Vec<String> = names.into_iter().filter(|name| arguments.contenders.takes(name)).collect();
    if selected.is_empty() {
        return Err(Error::NothingSelected("no worker is selected or found".into()));
    }
    output.line(selected.join("\n"))?;
    Ok(Exit::Pass)
}

//! `heapmark build`

use heapmark::Error;

use crate::args::Build;
use crate::exit::Exit;

/// Builds the workers and prints a line for each: its name, and its program or why there is none.
pub(crate) fn build(arguments: &Build) -> Result<Exit, Error> {
    let workers = arguments.contenders.workers(|name| arguments.contenders.takes(name))?;
    let mut exit = Exit::Pass;
    for worker in workers {
        match &worker.program {
            Ok(program) => println!("{}\t{}", worker.name, program.display()),
            Err(reason) => {
                println!("{}\tnot built: {reason}", worker.name);
                exit = Exit::Failure;
            }
        }
    }
    Ok(exit)
}

//! `heapmark completions`

use clap::Args;
use clap_complete::Shell;
use heapmark::Error;

use crate::args::Arguments;
use crate::exit::Exit;
use crate::print::Output;

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// Prints a script for the shell to read, such as `source <(heapmark completions bash)`.
pub(crate) fn completions(arguments: &Completions, output: &Output) -> Result<Exit, Error> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::definition(), "heapmark", &mut script);
    output.write(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Pass)
}

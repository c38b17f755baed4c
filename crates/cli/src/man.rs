//! `heapmark man`

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use heapmark::Error;

use crate::args::Arguments;
use crate::exit::Exit;
use crate::print::{Output, say};
use crate::write;

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The page of this verb [default: the page of heapmark itself]
    #[arg(value_name = "VERB")]
    pub(crate) verb: Option<String>,
    /// Write all pages into this folder, a file for each: heapmark.1, heapmark-run.1
    #[arg(long, value_name = "DIR", conflicts_with = "verb")]
    pub(crate) dir: Option<PathBuf>,
}

/// Prints a page for `man -l -`, or writes all of them.
pub(crate) fn man(arguments: &Man, output: &Output) -> Result<Exit, Error> {
    // Gives each verb the whole name that its page has.
    let mut command = Arguments::definition();
    command.build();
    if let Some(folder) = &arguments.dir {
        return write_all(&command, folder);
    }
    let page = match &arguments.verb {
        None => page(&command)?,
        Some(name) => {
            let verb = verbs(&command).find(|verb| verb.get_name() == name).ok_or_else(|| {
                let known: Vec<_> = verbs(&command).map(Command::get_name).collect();
                Error::Usage(format!("there is no verb {name:?}; there are {}", known.join(", ")))
            })?;
            page(verb)?
        }
    };
    output.write(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Pass)
}

fn write_all(command: &Command, folder: &Path) -> Result<Exit, Error> {
    std::fs::create_dir_all(folder).map_err(|source| Error::File {
        action: "cannot create the folder",
        path: folder.to_owned(),
        source,
    })?;
    write::replace(&folder.join("heapmark.1"), &page(command)?)?;
    for verb in verbs(command) {
        write::replace(&folder.join(format!("heapmark-{}.1", verb.get_name())), &page(verb)?)?;
    }
    say(format_args!("{} pages in {}", verbs(command).count() + 1, folder.display()));
    Ok(Exit::Pass)
}

/// All but clap's own `help`.
fn verbs(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|verb| verb.get_name() != "help")
}

fn page(command: &Command) -> Result<Vec<u8>, Error> {
    let mut page = Vec::new();
    // Memory takes every write.
    render(command, &mut page).map_err(|source| Error::File {
        action: "cannot make",
        path: "the page".into(),
        source,
    })?;
    Ok(page)
}

/// The sections that are of use, and the exit codes, which all verbs share.
fn render(command: &Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    let man = clap_mangen::Man::new(command.clone());
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(page)?;
    }
    writeln!(page, ".SH \"EXIT STATUS\"")?;
    for exit in Exit::ALL {
        // A plain hyphen would become a typographic one.
        writeln!(page, ".TP\n\\fB{}\\fR\n{}", exit as u8, exit.meaning().replace('-', "\\-"))?;
    }
    Ok(())
}

//! Where text goes: results to standard output, everything else to standard error.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use heapmark::record::Record;
use heapmark::view::{self, Screen};
use heapmark::{Error, Outcome};
use serde::Serialize;

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless `NO_COLOR`, `CLICOLOR` or `TERM` say otherwise
    #[default]
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

/// Standard output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    screen: Screen,
}

impl Output {
    /// As it is now, coloured as wished.
    pub(crate) fn new(colour: Colour) -> Self {
        let stdout = std::io::stdout();
        let coloured = match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => AutoStream::choice(&stdout) != ColorChoice::Never,
        };
        let terminal = stdout.is_terminal().then(|| terminal_size::terminal_size_of(&stdout)).flatten();
        let wished = std::env::var("COLUMNS").ok();
        let width = width(wished.as_deref(), terminal.map(|(width, _)| width.0));
        Self { screen: Screen { width, colour: coloured } }
    }

    /// What there is room for.
    pub(crate) fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Writes a text that ends its last line itself. Fails if it cannot; where nobody reads any more, that is no failure,
    /// since whoever reads has seen enough.
    #[expect(clippy::unused_self, reason = "who has an output may write to it")]
    pub(crate) fn write(&self, text: &str) -> Result<(), Error> {
        let mut stdout = std::io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Error::File { action: "cannot write to", path: "standard output".into(), source: error })
            }
            _ => Ok(()),
        }
    }

    /// Writes a text and ends its last line.
    pub(crate) fn line(&self, text: impl Display) -> Result<(), Error> {
        self.write(&format!("{text}\n"))
    }

    /// Writes what a record says, and where it was made.
    pub(crate) fn outcome(&self, record: &Record, outcome: &Outcome) -> Result<(), Error> {
        self.line(told(record, outcome, &self.screen))
    }

    /// Writes a value as JSON.
    pub(crate) fn json(&self, value: &impl Serialize) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(value).map_err(|error| Error::Usage(error.to_string()))?;
        self.line(text)
    }
}

/// What a record says, and where it was made.
pub(crate) fn told(record: &Record, outcome: &Outcome, screen: &Screen) -> String {
    let text = view::text(outcome, screen);
    match view::conditions(record, screen) {
        Some(conditions) => format!("{text}\n{conditions}"),
        None => text,
    }
}

/// Says something on standard error. Where that is closed there is nobody to tell.
pub(crate) fn say(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// The columns there are: what `COLUMNS` says, else what the terminal has; in a file or a pipe lines may be of any length.
fn width(wished: Option<&str>, terminal: Option<u16>) -> Option<usize> {
    let wished = wished.and_then(|columns| columns.trim().parse().ok());
    wished.or(terminal).filter(|columns| *columns > 0).map(usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_is_wished_or_the_terminals_or_none() {
        assert_eq!(width(Some("80"), Some(120)), Some(80));
        assert_eq!(width(None, Some(120)), Some(120));
        assert_eq!(width(None, None), None);
        for odd in ["", "0", "-1", "many", "99999999"] {
            assert_eq!(width(Some(odd), None), None, "{odd}");
        }
        assert_eq!(width(Some("many"), Some(120)), Some(120));
    }
}

//! `heapmark report`

use std::io::Write;
use std::path::Path;

use heapmark::record::Record;
use heapmark::{Error, Outcome, view};

use crate::args::{Report, ReportFormat};
use crate::exit::Exit;

const BEGIN: &str = "<!-- heapmark:begin -->";
const END: &str = "<!-- heapmark:end -->";

/// Shows a record, on standard output or in the middle of a document.
pub(crate) fn report(arguments: &Report) -> Result<Exit, Error> {
    let record = Record::read(&arguments.record)?;
    let outcome = Outcome::of(&record);
    let text = match arguments.format {
        ReportFormat::Text => {
            format!("{}\n\n{}\n", view::table(&outcome, view::Style::Text), view::notes(&outcome).join("\n"))
        }
        ReportFormat::Table => format!("{}\n", view::table(&outcome, view::Style::Markdown)),
        ReportFormat::Page => view::page(&record, &command(arguments)),
    };
    match &arguments.splice {
        None => print!("{text}"),
        Some(path) => splice(path, &text)?,
    }
    Ok(Exit::Pass)
}

/// The command that makes this again, as a reader would type it in the repository.
fn command(arguments: &Report) -> String {
    format!("heapmark report --format page {}", arguments.record.display())
}

/// Replaces what stands between the two marker lines. The file is written whole or not at all.
fn splice(path: &Path, text: &str) -> Result<(), Error> {
    let fail = |action| move |source| Error::File { action, path: path.to_owned(), source };
    let document = std::fs::read_to_string(path).map_err(fail("cannot read"))?;
    let spliced = spliced(&document, text)
        .ok_or_else(|| Error::Usage(format!("{} lacks the lines {BEGIN} and {END}, in this order", path.display())))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(fail("cannot write beside"))?;
    file.write_all(spliced.as_bytes()).map_err(fail("cannot write beside"))?;
    file.as_file().sync_all().map_err(fail("cannot flush beside"))?;
    let permissions = std::fs::metadata(path).map_err(fail("cannot read"))?.permissions();
    file.as_file().set_permissions(permissions).map_err(fail("cannot write beside"))?;
    file.persist(path).map_err(|error| error.error).map_err(fail("cannot replace"))?;
    Ok(())
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
}

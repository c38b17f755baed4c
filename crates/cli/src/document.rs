//! Tables in documents: put between two marker lines, with the command that made them.

use std::path::Path;

use heapmark::Error;

use crate::write;

const BEGIN: &str = "<!-- heapmark:begin -->";
const END: &str = "<!-- heapmark:end -->";

/// The command line of this program, for someone to type again.
pub(crate) fn command_line() -> String {
    command(std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()))
}

/// The command as it was typed, for someone to type again.
fn command(words: impl Iterator<Item = String>) -> String {
    let quoted = words.map(|word| {
        let is_plain = |letter: char| letter.is_alphanumeric() || "_-./=:,@%+".contains(letter);
        if !word.is_empty() && word.chars().all(is_plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
    });
    std::iter::once("heapmark".to_owned()).chain(quoted).collect::<Vec<_>>().join(" ")
}

/// Code in a line of Markdown: between more backticks than stand in it, and on one line.
pub(crate) fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 { format!("{fence}{text}{fence}") } else { format!("{fence} {text} {fence}") }
}

/// Replaces what stands between the two marker lines. The file is written whole or not at all.
pub(crate) fn splice(path: &Path, text: &str) -> Result<(), Error> {
    let fail = |source| Error::File { action: "cannot read", path: path.to_owned(), source };
    let document = std::fs::read_to_string(path).map_err(fail)?;
    let spliced = spliced(&document, text)
        .ok_or_else(|| Error::Usage(format!("{} lacks the lines {BEGIN} and {END}, in this order", path.display())))?;
    write::replace(path, spliced.as_bytes())
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

    #[test]
    fn a_command_can_be_typed_again() {
        let words = ["report", "--format=page", "my run.jsonl", "it's", "", "-w", "^graph/.*$"];
        let command = command(words.into_iter().map(str::to_owned));
        assert_eq!(command, r"heapmark report --format=page 'my run.jsonl' 'it'\''s' '' -w '^graph/.*$'");
    }

    #[test]
    fn a_command_stays_code_whatever_it_holds() {
        assert_eq!(code("a b"), "`a b`");
        assert_eq!(code("a `` b\nc"), "``` a `` b c ```");
    }
}

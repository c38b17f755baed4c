//! The tables of fields on the protocol's page, written from the messages.

use std::fmt::Write;
use std::path::Path;

use crate::messages::{Finding, MESSAGES, ParameterKind, PhaseName, Proof, WorkerKind};

/// Set to anything, it has the test write the page.
const UPDATE: &str = "HEAPMARK_UPDATE_PROTOCOL";

const BEGIN: &str = "<!-- messages:begin: written by the command that its failing test names -->\n";
const END: &str = "<!-- messages:end -->\n";

/// A message as its definition describes it.
pub(crate) struct Described {
    pub(crate) verb: &'static str,
    /// Lines of documentation, as are those of the fields.
    pub(crate) about: &'static [&'static str],
    /// Key, type and documentation.
    pub(crate) fields: &'static [(&'static str, &'static str, &'static [&'static str])],
}

/// Words with what they mean.
pub(crate) type Words = &'static [(&'static str, &'static [&'static str])];

/// The words that a field of this type takes.
fn words(of_type: &str) -> Option<Words> {
    match of_type {
        "Proof" => Some(Proof::WORDS),
        "WorkerKind" => Some(WorkerKind::WORDS),
        "Finding" => Some(Finding::WORDS),
        "ParameterKind" => Some(ParameterKind::WORDS),
        "PhaseName" => Some(PhaseName::WORDS),
        _ => None,
    }
}

/// What stands behind the key of a field of this type.
fn value(of_type: &str) -> String {
    let bare = of_type.replace(' ', "");
    if let Some(inner) = bare.strip_prefix("Option<").and_then(|inner| inner.strip_suffix('>')) {
        return format!("{}, optional", value(inner));
    }
    match bare.as_str() {
        "u64" => "number".into(),
        "bool" => "`0` or `1`".into(),
        "Cow<'a,str>" => "text".into(),
        other if words(other).is_some() => "a word, below".into(),
        other => panic!("the page has no words for a field of type {other}"),
    }
}

/// Documentation as one line.
fn line(documentation: &[&str]) -> String {
    documentation.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// A section for each message.
fn sections() -> String {
    let mut text = String::new();
    for message in MESSAGES {
        // Writing to memory does not fail.
        let _ = write!(text, "\n### {}\n\n{}\n\n", message.verb, line(message.about));
        text.push_str("| key | value | meaning |\n|---|---|---|\n");
        for (key, of_type, documentation) in message.fields {
            let _ = writeln!(text, "| `{key}` | {} | {} |", value(of_type), line(documentation));
        }
        for (key, of_type, _) in message.fields {
            let Some(words) = words(of_type) else { continue };
            let _ = write!(text, "\n| `{key}` | meaning |\n|---|---|\n");
            for (word, documentation) in words {
                let _ = writeln!(text, "| `{word}` | {} |", line(documentation));
            }
        }
    }
    text + "\n"
}

#[test]
fn the_page_says_what_the_messages_are() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("PROTOCOL.md");
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = page.split_once(BEGIN).expect("the page says where the messages begin");
    let (_, after) = rest.split_once(END).expect("the page says where the messages end");
    let expected = [before, BEGIN, &sections(), END, after].concat();
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, &expected).expect("the crate's folder can be written to");
        return;
    }
    let update = "cargo test -p heapmark-protocol page";
    assert!(page == expected, "PROTOCOL.md is not what the messages are; `{UPDATE}=1 {update}` writes it anew");
}

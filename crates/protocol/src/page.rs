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

/// The type without what makes it optional, and whether it was.
fn bare(of_type: &str) -> (String, bool) {
    let all = of_type.replace(' ', "");
    match all.strip_prefix("Option<").and_then(|inner| inner.strip_suffix('>')) {
        Some(inner) => (inner.to_owned(), true),
        None => (all, false),
    }
}

/// What stands behind the key of a field of this type; words are told once, at the message where they come first.
fn value(of_type: &str, told: &[(String, &str)]) -> String {
    let (bare, optional) = bare(of_type);
    let told_at = told.iter().find(|(words, _)| *words == bare).map(|(_, verb)| *verb);
    let value = match (bare.as_str(), told_at) {
        ("u64", _) => "number".into(),
        ("bool", _) => "`0` or `1`".into(),
        ("Numbers", _) => "numbers".into(),
        ("Cow<'a,str>", _) => "text".into(),
        (_, Some(verb)) => format!("a word, as in `{verb}`"),
        (other, None) if words(other).is_some() => "a word, below".into(),
        (other, None) => panic!("the page has no words for a field of type {other}"),
    };
    value + if optional { ", optional" } else { "" }
}

/// Documentation as one line.
fn line(documentation: &[&str]) -> String {
    documentation.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// A section for each message.
fn sections() -> String {
    let mut text = String::new();
    let mut told: Vec<(String, &str)> = Vec::new();
    for message in MESSAGES {
        // Writing to memory does not fail.
        let _ = write!(text, "\n### {}\n\n{}\n\n", message.verb, line(message.about));
        text.push_str("| key | value | meaning |\n|---|---|---|\n");
        for (key, of_type, documentation) in message.fields {
            let _ = writeln!(text, "| `{key}` | {} | {} |", value(of_type, &told), line(documentation));
        }
        for (key, of_type, _) in message.fields {
            let (bare, _) = bare(of_type);
            let Some(words) = words(&bare).filter(|_| told.iter().all(|(words, _)| *words != bare)) else { continue };
            let _ = write!(text, "\n| `{key}` | meaning |\n|---|---|\n");
            for (word, documentation) in words {
                let _ = writeln!(text, "| `{word}` | {} |", line(documentation));
            }
            told.push((bare, message.verb));
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

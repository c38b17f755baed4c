//! The verbs that show records, look at the machine or print the manual, as a user meets them.

mod cmp;
mod doctor;
mod environment;
mod exit_codes;
mod load;
mod manual;
mod odd_records;
mod rank;
mod report;
mod serve;
mod terminal;
mod verify;

use std::process::Output;

use assert_cmd::Command;

/// A record of a real run; `tests/data/README.md` says how it was made.
const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/record.jsonl");

/// The contender of it with the longest name.
const KNOBBED: &str = "jemalloc@dirty_decay_ms:0,narenas:1";

/// The command in an environment without wishes of whoever runs the tests.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("heapmark").expect("the command is built");
    for (name, _) in std::env::vars_os() {
        let is_wish = name.to_str().is_some_and(|name| name.starts_with("HEAPMARK_") || name.starts_with("CLICOLOR"));
        if is_wish || name == "NO_COLOR" || name == "COLUMNS" {
            command.env_remove(name);
        }
    }
    command.args(arguments);
    command
}

fn heapmark(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

/// What a command prints that must succeed.
fn printed(arguments: &[&str]) -> String {
    let output = heapmark(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&printed(arguments)).expect("the output is JSON")
}

/// The last line of standard error, which is where the reason stands, of a command that must end with this code.
fn reason(arguments: &[&str], code: i32) -> String {
    let output = heapmark(arguments);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
    assert!(output.stdout.is_empty(), "{arguments:?}: results only go to standard output");
    errors.lines().last().unwrap_or_default().to_owned()
}

/// The record with its rows edited, in a file of its own; those for which `edit` says no are left out.
fn edited(folder: &tempfile::TempDir, name: &str, mut edit: impl FnMut(&mut serde_json::Value) -> bool) -> String {
    let record = std::fs::read_to_string(RECORD).expect("the record is there");
    let mut rows = String::new();
    for line in record.lines() {
        let mut row: serde_json::Value = serde_json::from_str(line).expect("a row is JSON");
        if edit(&mut row) {
            rows.push_str(&row.to_string());
            rows.push('\n');
        }
    }
    let path = folder.path().join(name);
    std::fs::write(&path, rows).expect("the record is written");
    path.to_str().expect("UTF-8").to_owned()
}

/// The record with its text changed, in a file of its own.
fn changed(folder: &tempfile::TempDir, name: &str, from: &str, to: &str) -> String {
    let record = std::fs::read_to_string(RECORD).expect("the record is there");
    assert!(record.contains(from), "{from} is in the record");
    let path = folder.path().join(name);
    std::fs::write(&path, record.replace(from, to)).expect("the record is written");
    path.to_str().expect("UTF-8").to_owned()
}

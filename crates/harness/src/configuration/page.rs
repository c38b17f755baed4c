//! The page that explains `heapmark.toml` is held against the types: its table is written from them, its example is read.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, schema_for};

use super::Configuration;
use super::file::Run;
use super::forms::{ContenderTable, WorkloadTable};

/// Set to anything, it has the test write the table.
const UPDATE: &str = "HEAPMARK_UPDATE_PAGE";

const BEGIN: &str = "<!-- keys:begin -->\n";
const END: &str = "<!-- keys:end -->\n";

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/heapmark-toml.md")
}

fn page() -> String {
    std::fs::read_to_string(path()).expect("the page is there")
}

/// The keys of a table and what is said of them beside the types.
fn keys<T: JsonSchema>() -> Vec<(String, String)> {
    let schema = schema_for!(T);
    let properties = schema.get("properties").and_then(|properties| properties.as_object()).expect("a table has keys");
    let text = |schema: &serde_json::Value| schema["description"].as_str().unwrap_or_default().replace('\n', " ");
    properties.iter().map(|(key, schema)| (key.clone(), text(schema))).collect()
}

/// A line for each key, those of tables in tables below them.
fn table() -> String {
    let mut table = "| key | what it says |\n|---|---|\n".to_owned();
    let mut row = |key: &str, text: &str| {
        assert!(!text.is_empty(), "{key} is explained");
        writeln!(table, "| `{key}` | {text} |").expect("a string takes everything");
    };
    for (key, text) in keys::<Configuration>() {
        row(&key, &text);
        let (inner, path) = match key.as_str() {
            "contenders" => (keys::<ContenderTable>(), "contenders.NAME"),
            "workload-sets" => (keys::<WorkloadTable>(), "workload-sets.NAME[]"),
            "run" => (keys::<Run>(), "run"),
            _ => continue,
        };
        for (key, text) in inner {
            row(&format!("{path}.{key}"), &text);
        }
    }
    table
}

#[test]
fn the_table_says_what_the_types_say() {
    let page = page();
    let parts = page.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?)));
    let (before, (shown, after)) = parts.expect("the table has its place");
    let table = table();
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(path(), format!("{before}{BEGIN}{table}{END}{after}")).expect("the page can be written to");
        return;
    }
    let update = "cargo test -p heapmark --lib configuration::page";
    assert!(shown == table, "docs/heapmark-toml.md is not what the types say; `{UPDATE}=1 {update}` writes it anew");
}

#[test]
fn the_example_is_read_and_uses_every_key() {
    let page = page();
    let example = page.split_once("```toml\n").and_then(|(_, rest)| rest.split_once("```")).expect("there is one").0;
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = folder.path().join(super::FILE_NAME);
    std::fs::write(&file, example).expect("it is ours");
    Configuration::read(&file).expect("the example is sound");
    for (key, _) in keys::<Configuration>() {
        assert!(example.contains(&format!("[{key}")), "{key} is not in the example");
    }
}

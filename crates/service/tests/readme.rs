//! The readme's tables are those of the catalogue.

use std::fmt::Write;
use std::path::Path;

use heapmark_service::CATALOGUE;
use heapmark_worker::{Values, Workload};

/// Set to anything, it has the test write the file.
const UPDATE: &str = "HEAPMARK_UPDATE_README";

const BEGIN: &str = "<!-- catalogue:begin -->\n";
const END: &str = "<!-- catalogue:end -->\n";

/// The workloads and the sets.
fn tables() -> String {
    let mut text = String::from("\n| workload | unit | what it does | parameters |\n|---|---|---|---|\n");
    for workload in CATALOGUE.workloads {
        let about = workload.about();
        let (name, unit, summary) = (about.name, about.unit, about.summary);
        let _ = writeln!(text, "| `{name}` | {unit} | {summary} | {} |", parameters(*workload));
    }
    text.push_str("\n| set, for `--set` | for | cases |\n|---|---|---|\n");
    for set in CATALOGUE.sets {
        let _ = writeln!(text, "| `{}` | {} | {} |", set.name, set.summary, set.workloads.len());
    }
    text.push('\n');
    text
}

/// Parameters with their defaults.
fn parameters(workload: &dyn Workload) -> String {
    let parameters = workload.about().parameters.iter().map(|parameter| match parameter.values {
        Values::Number { default, .. } => format!("`{}={default}`", parameter.name),
        Values::Choice(words) => format!("`{}={}`", parameter.name, words[0]),
        Values::Threads => format!("`{}`", parameter.name),
    });
    parameters.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_readme_lists_the_catalogue() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let file = std::fs::read_to_string(&path).expect("the readme can be read");
    let (before, rest) = file.split_once(BEGIN).expect("the readme has a place for the tables");
    let (_, after) = rest.split_once(END).expect("the place for the tables ends");
    let current = format!("{before}{BEGIN}{}{END}{after}", tables());
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, &current).expect("the crate's folder can be written to");
        return;
    }
    let update = "cargo test -p heapmark-service --test readme";
    assert!(file == current, "README.md is not what the catalogue says; `{UPDATE}=1 {update}` writes it anew");
}

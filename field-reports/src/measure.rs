//! Makes the runs.

use std::path::Path;
use std::process::Command;

use crate::reports::{Run, Runs};

/// Makes the runs of these names; without any, those that have no record yet.
pub(crate) fn measure(runs: &Runs, names: &[&str], workspace: &Path, records: &Path) -> Result<(), String> {
    if let Some(unknown) = names.iter().find(|name| !runs.0.contains_key(**name)) {
        let known: Vec<&str> = runs.0.keys().map(String::as_str).collect();
        return Err(format!("there is no run {unknown:?}; there are {}", known.join(", ")));
    }
    std::fs::create_dir_all(records).map_err(|error| format!("cannot make {}: {error}", records.display()))?;
    let wanted = runs.0.iter().map(|(name, run)| (name, run, records.join(format!("{name}.jsonl"))));
    for (name, run, record) in wanted {
        if names.contains(&name.as_str()) || (names.is_empty() && !record.exists()) {
            make(name, run, workspace, &record)?;
        }
    }
    Ok(())
}

fn make(name: &str, run: &Run, workspace: &Path, record: &Path) -> Result<(), String> {
    if let Some(before) = &run.before {
        eprintln!("{name}: {before}");
    }
    let mut command = Command::new("cargo");
    command.args(["run", "--release", "--quiet", "-p", "heapmark-cli", "--", "run"]).current_dir(workspace);
    command.args(["--config", CONFIGURATION]).args(run.arguments.split(' ')).arg("-o").arg(record);
    let status = command.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("the run {name} failed: {status}")) }
}

/// The configuration of all runs, from the workspace's folder.
pub(crate) const CONFIGURATION: &str = "field-reports/heapmark.toml";

/// How a run is typed.
pub(crate) fn typed(run: &Run) -> String {
    let quoted: Vec<String> = run.arguments.split(' ').map(quoted).collect();
    format!("heapmark run --config {CONFIGURATION} {}", quoted.join(" "))
}

/// In quotes, where a shell would read something else.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:,@/=".contains(c);
    if argument.chars().all(plain) { argument.to_owned() } else { format!("'{argument}'") }
}

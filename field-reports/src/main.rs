//! Holds what people reported of allocators against what heapmark measures here.
//!
//! - `field-reports measure [RUN]…` makes the runs of `runs.toml` that have no record yet, or those that are named.
//! - `field-reports page` writes `docs/field-reports.md` from `reports.toml` and the records.
//! - `field-reports check` fails where a claim that must hold does not, and where the page is not what would be written.

mod claim;
mod measure;
mod page;
mod quantity;
mod records;
mod reports;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::records::Records;
use crate::reports::{Reports, Runs};

/// Where the records lie, below the workspace's folder.
const RECORDS: &str = "results/2026-11-30-amd-epyc-2-cores/field-reports";

/// Where the page lies.
const PAGE: &str = "docs/field-reports.md";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["measure", names @ ..] => measure_all(names),
        ["page"] => written(),
        ["check"] => checked(),
        _ => Err("usage: field-reports measure [RUN]… | page | check".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("field-reports: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn measure_all(names: &[&str]) -> Result<(), String> {
    measure::measure(&Runs::read(&here())?, names, &workspace(), &workspace().join(RECORDS))
}

fn written() -> Result<(), String> {
    let path = workspace().join(PAGE);
    std::fs::write(&path, page_now()?).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn checked() -> Result<(), String> {
    let path = workspace().join(PAGE);
    let stands = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    if stands != page_now()? {
        return Err(format!("{PAGE} is stale: cargo run --release -p heapmark-field-reports -- page"));
    }
    Ok(())
}

/// The page as it would be written now. Fails where a report and the runs contradict each other, and where a claim that must
/// hold does not.
fn page_now() -> Result<String, String> {
    let (runs, reports) = (Runs::read(&here())?, Reports::read(&here())?);
    let records = Records::read(&workspace().join(RECORDS), &runs)?;
    let held = reports.held_against(&records)?;
    let broken: Vec<String> = held.iter().flat_map(page::HeldReport::broken).collect();
    if broken.is_empty() {
        Ok(page::page(&runs, &records, &held))
    } else {
        Err(format!("these must hold and do not:\n{}", broken.join("\n")))
    }
}

/// The folder of this package.
fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn workspace() -> PathBuf {
    here().parent().map_or_else(|| PathBuf::from("."), Path::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The page is what the records say, every claim names what is in them, and those that must hold do.
    #[test]
    fn the_page_is_what_the_records_say() {
        checked().unwrap();
    }

    #[test]
    fn every_test_that_a_claim_names_is_there() {
        let mut sources = String::new();
        for folder in ["allocators", "crates", "tests"] {
            read_sources(&workspace().join(folder), &mut sources);
        }
        let reports = Reports::read(&here()).unwrap();
        let missing: Vec<&str> = reports.tests().filter(|name| !sources.contains(&format!("fn {name}("))).collect();
        assert!(missing.is_empty(), "no source has these tests: {missing:?}");
        assert!(reports.tests().count() > 5, "claims about the harness name their tests");
    }

    fn read_sources(folder: &Path, sources: &mut String) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read_sources(&path, sources);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push_str(&fs::read_to_string(&path).unwrap());
            }
        }
    }
}

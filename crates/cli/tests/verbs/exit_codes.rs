//! Each exit code where it belongs.

use crate::{RECORD, heapmark, reason, text};

#[test]
fn requests_that_make_no_sense_are_usage() {
    for arguments in [
        &["cmp"][..],
        &["cmp", RECORD, "--metric", "speed"],
        &["cmp", RECORD, "--margin", "much"],
        &["rank", RECORD, "--clock", "sun"],
        &["report", RECORD, "--format", "md"],
        &["completions", "tcsh"],
        &["doctor", "--budget", "soon"],
        &["run", "--blocks", "6", "--budget", "60s"],
        &["run", "--resume", RECORD, "--threads", "1"],
        &["man", "frobnicate"],
    ] {
        let output = heapmark(arguments);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(!errors.contains("panicked") && !errors.is_empty(), "{arguments:?}: {errors}");
    }
}

#[test]
fn what_cannot_be_read_is_a_failure_that_names_the_file() {
    for verb in ["cmp", "rank", "report"] {
        assert!(reason(&[verb, "no/such.jsonl"], 1).contains("no/such.jsonl"), "{verb}");
        assert!(
            reason(&[verb, concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")], 1).contains("Cargo.toml"),
            "{verb}"
        );
    }
}

#[test]
fn a_selection_that_leaves_nothing_has_a_code_of_its_own() {
    for verb in ["cmp", "rank", "report"] {
        let workloads = reason(&[verb, RECORD, "-w", "no/such"], 4);
        assert!(workloads.contains("graph/tree?live=200&threads=1"), "{verb}: it says what there is: {workloads}");
        reason(&[verb, RECORD, "-a", "nobody"], 4);
    }
    reason(&["build", "--list", "-a", "nobody"], 4);
    let part = reason(&["build", "--list", "-a", "secure"], 4);
    assert!(part.ends_with("`-a` must have the whole name to select one of mimalloc-secure"), "{part}");
}

#[test]
fn strict_runs_are_inconclusive_below_six_blocks() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |strict: &[&str], name: &str| {
        let record = folder.path().join(name);
        let record = record.to_str().expect("UTF-8").to_owned();
        let arguments = [
            "run",
            "-w",
            "^graph/tree$",
            "--param",
            "live=10",
            "--threads",
            "1",
            "-a",
            "^mimalloc$",
            "--blocks",
            "1",
            "-o",
            &record,
        ];
        heapmark(&[&arguments[..], strict].concat())
    };
    let output = run(&[], "lenient.jsonl");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output = run(&["--strict"], "strict.jsonl");
    assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("unclear") && shown.contains("would be settled"), "{shown}");
}

#[test]
fn the_help_lists_every_code() {
    let help = text(&heapmark(&["--help"]).stdout);
    for code in 0..=5 {
        assert!(help.lines().any(|line| line.trim_start().starts_with(&format!("{code}  "))), "{code} in {help}");
    }
}

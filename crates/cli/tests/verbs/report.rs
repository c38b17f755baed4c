//! `heapmark report`

use crate::{KNOBBED, RECORD, changed, heapmark, json, printed, reason, text};

#[test]
fn text_has_a_block_for_each_workload() {
    let shown = printed(&["report", RECORD]);
    let first = shown.lines().next().unwrap_or_default();
    assert_eq!(first, "graph/tree?live=200&threads=1 (unit: tree)");
    for expected in
        ["throughput", "CPU/unit", "peak RSS", "faster", "fatter", "system against itself", "detects", KNOBBED]
    {
        assert!(shown.contains(expected), "{expected:?} is missing in {shown}");
    }
    assert!(shown.contains("broken: failed to start: exited with 7: starting: broken on purpose"), "{shown}");
}

#[test]
fn csv_has_a_line_for_each_sample() {
    let samples = std::fs::read_to_string(RECORD).expect("the record is there");
    let samples = samples.lines().filter(|line| line.starts_with(r#"{"row":"sample""#)).count();
    let csv = printed(&["report", RECORD, "--format", "csv"]);
    assert_eq!(csv.lines().count(), 1 + samples);
    let only = printed(&["report", RECORD, "--format", "csv", "-w", "tree", "-a", "^mimalloc$"]);
    let names: Vec<_> = only.lines().skip(1).filter_map(|line| line.split(',').nth(2)).collect();
    assert!(names.iter().all(|name| ["system", "system (twin)", "mimalloc"].contains(name)), "{names:?}");
    assert_eq!(names.len(), 3 * 6 * 2, "three workers, six blocks, in turns and alone");
}

#[test]
fn json_is_the_outcome() {
    let outcome = json(&["report", RECORD, "--format", "json"]);
    assert_eq!((&outcome["reference"], &outcome["margin"]), (&"system".into(), &0.01.into()));
    let cases = outcome["cases"].as_array().expect("an array");
    assert_eq!(cases.len(), 2);
    assert_eq!(cases[0]["contenders"][0]["name"], "system");
    assert_eq!(cases[0]["twin"]["name"], "system (twin)");
    let read: Result<heapmark::Outcome, _> = serde_json::from_value(outcome);
    assert!(read.is_ok(), "{read:?}");
}

#[test]
fn where_it_was_made_is_shown_with_the_mode_of_huge_pages() {
    let shown = printed(&["report", RECORD]);
    let expected = "Made on AMD EPYC, 2 cores, Linux 6.18.44-fc-v657 on x86_64, transparent huge pages madvise.";
    assert_eq!(shown.lines().last(), Some(expected), "{shown}");
    let page = printed(&["report", RECORD, "--format", "page"]);
    assert!(page.contains("transparent huge pages madvise"), "{page}");
    // And who competes, in which version, with which knobs.
    for expected in ["glibc 2.36", "mimalloc 3.3.2", "jemalloc 5.3.1", "dirty_decay_ms"] {
        assert!(page.contains(expected), "{expected} in {page}");
    }
}

#[test]
fn a_page_names_the_command_that_made_it() {
    let page = printed(&["report", "--format", "page", RECORD]);
    assert!(page.starts_with("# "), "{page}");
    assert!(page.contains(&format!("`heapmark report --format page {RECORD}`")), "{page}");
    for section in ["## Contenders", "## Work", "## Machine and settings"] {
        assert!(page.contains(section), "{section}");
    }
}

#[test]
fn a_spliced_table_has_the_exact_command_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let document = folder.path().join("my page.md");
    let path = document.to_str().expect("UTF-8");
    std::fs::write(&document, "before\n<!-- heapmark:begin -->\nold\n<!-- heapmark:end -->\nafter\n").expect("written");
    let arguments = ["report", RECORD, "-w", "^graph/tree$", "--splice", path];
    assert_eq!(printed(&arguments), "", "the table goes into the document");
    let spliced = std::fs::read_to_string(&document).expect("the document is there");
    assert!(spliced.starts_with("before\n<!-- heapmark:begin -->\n|"), "{spliced}");
    assert!(spliced.ends_with("<!-- heapmark:end -->\nafter\n") && !spliced.contains("old"), "{spliced}");
    let command = format!("Made by `heapmark report {RECORD} -w '^graph/tree$' --splice '{path}'`.");
    assert!(spliced.contains(&command), "{spliced}");
    assert!(spliced.contains("| graph/tree") && !spliced.contains("graph/records"), "{spliced}");
    printed(&arguments);
    assert_eq!(std::fs::read_to_string(&document).expect("there"), spliced, "twice is the same as once");
}

#[test]
fn what_cannot_be_spliced_is_refused_and_the_document_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let document = folder.path().join("page.md");
    let path = document.to_str().expect("UTF-8");
    std::fs::write(&document, "no markers\n").expect("written");
    assert!(reason(&["report", RECORD, "--splice", path], 2).contains("heapmark:begin"));
    for format in ["text", "csv", "json"] {
        assert!(
            reason(&["report", RECORD, "--splice", path, "--format", format], 2).contains("table or page"),
            "{format}"
        );
    }
    assert_eq!(std::fs::read_to_string(&document).expect("there"), "no markers\n");
}

#[test]
fn a_name_cannot_break_a_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let odd = changed(&folder, "odd.jsonl", r#""mimalloc""#, r#""a|b\nc""#);
    let table = printed(&["report", &odd, "--format", "table"]);
    assert!(table.contains(r"a\|b\\nc"), "{table}");
    let pipes = |line: &str| line.replace(r"\|", "").matches('|').count();
    assert!(table.lines().all(|line| pipes(line) == pipes(table.lines().next().unwrap_or_default())), "{table}");
}

#[test]
fn a_torn_last_line_is_left_out() {
    let record = std::fs::read_to_string(RECORD).expect("the record is there");
    let folder = tempfile::tempdir().expect("a folder");
    let torn = folder.path().join("torn.jsonl");
    std::fs::write(&torn, &record[..record.len() - 20]).expect("written");
    let output = heapmark(&["report", torn.to_str().expect("UTF-8"), "--format", "page"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("The run was interrupted"));
}

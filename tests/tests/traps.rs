//! The page of traps names tests: here it is seen that they are there, so that it says nothing that nobody holds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use heapmark::Workspace;

/// The page, below the root of the workspace.
const PAGE: &str = "docs/traps.md";

/// The traps that must be on it.
const TRAPS: [&str; 48] = [
    "B01", "B02", "B03", "B04", "B05", "B06", "B07", "B09", "B10", "B11", "B14", "B15", "A01", "A05", "A22", "A23",
    "A28", "A34", "A42", "A45", "A54", "A56", "A59", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C10",
    "C11", "C12", "C13", "C14", "C15", "D1", "D3", "D4", "D5", "D6", "D7", "D9", "D10", "D12", "D14",
];

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What a row of the page names: its trap, and each test with the file that it is in.
struct Row<'a> {
    trap: &'a str,
    tests: Vec<(&'a str, &'a str)>,
}

/// Reads the rows of all tables of a page. Fails with the line that is none.
fn rows(page: &str) -> Result<Vec<Row<'_>>, String> {
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| |");
    page.lines().filter(is_row).map(row).collect()
}

fn row(line: &str) -> Result<Row<'_>, String> {
    let wrong = |why: &str| format!("{why}: {line}");
    let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
    let [trap, sources, mistake, remedy, held_by] = cells[..] else { return Err(wrong("a row has five cells")) };
    if [trap, sources, mistake, remedy].contains(&"") {
        return Err(wrong("a cell is empty"));
    }
    let (mut file, mut tests) = (None, Vec::new());
    for word in held_by.split('`').skip(1).step_by(2) {
        match file {
            _ if word.contains('.') => file = Some(word),
            Some(file) => tests.push((file, word)),
            None => return Err(wrong("a test stands behind its file")),
        }
    }
    if tests.is_empty() { Err(wrong("nothing holds it")) } else { Ok(Row { trap, tests }) }
}

/// Whether a source file has a test of this name: a function marked as one, or a line of the table that makes tests of faults.
fn has_test(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim_start).collect();
    let is_marked = |index: usize| {
        let above = lines[..index].iter().rev().take_while(|line| line.starts_with("#[") || line.starts_with("//"));
        above.into_iter().any(|line| *line == "#[test]")
    };
    let is_it = |(index, line): (usize, &&str)| {
        line.strip_prefix("fn ").and_then(|rest| rest.strip_prefix(name)).is_some_and(|rest| rest.starts_with('('))
            && is_marked(index)
    };
    let in_table = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(": \"faulty-"));
    lines.iter().enumerate().any(is_it) || lines.iter().any(in_table)
}

#[test]
fn every_trap_is_held_by_tests_that_are_there() {
    let workspace = Workspace::find().expect("the tests lie in the workspace");
    let page = text(&workspace.root().join(PAGE));
    let rows = rows(&page).expect("the page has rows");
    let traps: BTreeSet<&str> = rows.iter().map(|row| row.trap).collect();
    assert_eq!(traps.len(), rows.len(), "a trap stands there twice");
    assert_eq!(traps, BTreeSet::from(TRAPS));
    let mut sources: BTreeMap<&str, String> = BTreeMap::new();
    let mut missing = Vec::new();
    for (trap, (file, name)) in rows.iter().flat_map(|row| row.tests.iter().map(|test| (row.trap, *test))) {
        let source = sources.entry(file).or_insert_with(|| text(&workspace.root().join(file)));
        if !has_test(source, name) {
            missing.push(format!("{trap}: {file} has no test {name}"));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(text(&workspace.root().join("METHODOLOGY.md")).contains(PAGE), "nobody is led to the page");
}

#[test]
fn what_is_no_test_is_none() {
    let source = "#[test]\n#[ignore = \"slow\"]\n/// Why.\nfn one() {}\n\nfn helper() {}\n    #[test]\n    fn two(a: u8) {\n    no_proof: \"faulty-x\" => 1;\n";
    for (name, expected) in
        [("one", true), ("two", true), ("no_proof", true), ("helper", false), ("on", false), ("proof", false)]
    {
        assert_eq!(has_test(source, name), expected, "{name}");
    }
    for line in [
        "| B01 | a | b | c |  |",
        "| B01 | a |  | c | `x.rs` `y` |",
        "| B01 | a | b | c | `y` |",
        "| B01 | a | b | c |",
    ] {
        assert!(rows(line).is_err(), "{line}");
    }
    let row = &rows("| | seen in |\n|---|---|\n| B01 | a | b | c | `x.rs` `y` `z`, `v.rs` `w` |").expect("a row")[0];
    assert_eq!((row.trap, &row.tests[..]), ("B01", &[("x.rs", "y"), ("x.rs", "z"), ("v.rs", "w")][..]));
}

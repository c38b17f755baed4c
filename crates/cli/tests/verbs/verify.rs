//! `heapmark verify`

use crate::{heapmark, json, printed, reason, text};

/// Two checks that take no time.
const QUICK: [&str; 6] = ["verify", "-a", "^system$", "--check", "^(align/page|impossible)$", "--color=never"];

#[test]
fn a_sound_allocator_passes() {
    let shown = printed(&QUICK);
    let lines: Vec<_> = shown.lines().collect();
    assert!(lines[0].trim_start().starts_with("check") && lines[0].ends_with("system"), "{shown}");
    for check in ["align/page", "impossible"] {
        assert!(lines.iter().any(|line| line.split_whitespace().eq([check, "pass"])), "{check}: {shown}");
    }
    assert_eq!(lines.last(), Some(&"Checks: 2 of 2 passed."), "{shown}");
}

#[test]
fn programs_get_every_result_with_its_words() {
    let found = json(&[&QUICK[..], &["--format", "json", "--repeat", "2"]].concat());
    let checks: Vec<_> = found["checks"].as_array().expect("an array").iter().map(|c| c["name"].as_str()).collect();
    assert_eq!(checks, [Some("align/page"), Some("impossible")]);
    let contender = &found["contenders"][0];
    assert_eq!((&contender["name"], &contender["status"]), (&"system".into(), &"ok".into()));
    assert!(contender["version"].as_str().is_some_and(|version| version.starts_with("glibc")), "{contender}");
    for result in contender["results"].as_array().expect("an array") {
        for key in ["check", "state", "finding", "detail", "limit", "runs", "seen"] {
            assert!(result.get(key).is_some(), "{key} is missing in {result}");
        }
        assert_eq!((&result["state"], &result["runs"], &result["seen"]), (&"pass".into(), &2.into(), &2.into()));
    }
}

#[test]
fn knobs_make_a_contender_of_their_own() {
    let with = ["verify", "-a", "^$", "--with", "system@arena_max:1", "--check", "^align/page$"];
    let shown = printed(&with);
    assert!(shown.contains("system@arena_max:1") && shown.ends_with("Checks: 1 of 1 passed.\n"), "{shown}");
    let output = heapmark(&["verify", "-a", "^$", "--with", "system@colour:blue"]);
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stdout);
    assert!(shown.contains("system@colour:blue: cannot be examined: knob did not take"), "{shown}");
}

#[test]
fn who_cannot_be_examined_is_told_and_makes_the_code() {
    let arguments = ["--worker", "dead=/bin/false", "-a", "^(system|dead)$", "--check", "^align/page$"];
    let output = heapmark(&[&["verify"][..], &arguments].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("dead: cannot be examined: failed to start"), "{shown}");
    assert!(shown.contains("Checks: 1 of 1 passed, 1 contenders could not be examined."), "{shown}");
}

#[test]
fn what_leaves_nothing_or_makes_no_sense_is_refused() {
    let nothing = reason(&["verify", "-a", "^system$", "--check", "no such check"], 4);
    assert!(nothing.contains("align/page, align/2mib"), "{nothing}");
    reason(&["verify", "-a", "nobody"], 4);
    for wrong in [&["--repeat", "0"][..], &["--deadline", "soon"], &["--check", "("], &["--format", "csv"]] {
        let output = heapmark(&[&["verify"][..], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {}", text(&output.stderr));
    }
    assert!(reason(&[&QUICK[..], &["--splice", "x.md", "--format", "json"]].concat(), 2).contains("Markdown"));
}

#[test]
fn a_document_gets_the_table_with_the_command_that_made_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let document = folder.path().join("page.md");
    let path = document.to_str().expect("UTF-8");
    std::fs::write(&document, "before\n<!-- heapmark:begin -->\nold\n<!-- heapmark:end -->\nafter\n").expect("written");
    let arguments = ["verify", "-a", "^system$", "--check", "^align/page$", "--splice", path];
    assert_eq!(printed(&arguments), "", "the table goes into the document");
    let spliced = std::fs::read_to_string(&document).expect("the document is there");
    assert!(spliced.starts_with("before\n<!-- heapmark:begin -->\n|") && !spliced.contains("old"), "{spliced}");
    assert!(spliced.contains("| `align/page`: "), "{spliced}");
    let command = format!("Made by `heapmark verify -a '^system$' --check '^align/page$' --splice {path}`.");
    assert!(spliced.contains(&command), "{spliced}");
    let table = printed(&["verify", "-a", "^system$", "--check", "^align/page$", "--format", "markdown"]);
    assert!(spliced.contains(table.trim_end()), "{table}");
}

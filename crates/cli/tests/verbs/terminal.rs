//! Widths, colours, locales and pipes.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::{KNOBBED, RECORD, changed, command, heapmark, printed, text};

/// Everything that is made to fit a terminal.
const FITTED: [&[&str]; 6] = [
    &["report", RECORD],
    &["cmp", RECORD],
    &["rank", RECORD],
    &["rank", RECORD, "--weigh", "throughput=2,peak-rss=1"],
    &["cmp", RECORD, "--reference", KNOBBED],
    &["report", RECORD, "-A", "jemalloc"],
];

fn at_width(arguments: &[&str], columns: &str) -> String {
    let output = command(arguments).env("COLUMNS", columns).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Every letter in these tables takes one column.
fn longest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn eighty_columns_are_enough_and_nothing_is_cut() {
    for arguments in FITTED {
        let wide = printed(arguments);
        let narrow = at_width(arguments, "80");
        assert!(longest(&narrow) <= 80, "{arguments:?}: {} columns in\n{narrow}", longest(&narrow));
        assert!(longest(&wide) > 80, "{arguments:?}: there was nothing to do");
        // The narrow layouts have other headings.
        let headings = ["allocator", "front", "ratio", "÷", "time", "memory", "–"];
        for word in wide.split_whitespace().filter(|word| !headings.contains(word)) {
            assert!(narrow.contains(word), "{arguments:?}: {word:?} is lost in\n{narrow}");
        }
    }
}

#[test]
fn narrower_still_holds_every_name() {
    let narrow = at_width(&["report", RECORD], "30");
    let joined: String = narrow.split_whitespace().collect();
    assert!(joined.contains(KNOBBED) && joined.contains("graph/records?records=20000&threads=1"), "{narrow}");
}

#[test]
fn a_pipe_has_lines_of_any_length_and_no_colour() {
    for arguments in FITTED {
        let shown = printed(arguments);
        assert!(!shown.contains('\x1b') && !shown.contains('…'), "{arguments:?}");
        assert!(shown.lines().all(|line| line == line.trim_end()), "{arguments:?}: blanks at the end of a line");
    }
}

#[test]
fn colour_is_for_those_who_want_it() {
    let coloured = printed(&["report", RECORD, "--color", "always"]);
    assert!(coloured.contains("\x1b[32mfaster\x1b[0m") && coloured.contains("\x1b[31mfatter\x1b[0m"), "{coloured:?}");
    let run = |variables: &[(&str, &str)], color: &[&str]| {
        let arguments = [&["report", RECORD], color].concat();
        let output = command(&arguments).envs(variables.iter().copied()).output().expect("the command runs");
        text(&output.stdout)
    };
    let plain = printed(&["report", RECORD]);
    assert_eq!(run(&[("CLICOLOR_FORCE", "1")], &[]), coloured);
    assert_eq!(run(&[("HEAPMARK_COLOR", "always")], &[]), coloured);
    assert_eq!(run(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "0")], &[]), plain);
    assert_eq!(run(&[("CLICOLOR_FORCE", "1")], &["--color", "never"]), plain);
    for arguments in FITTED {
        let never = printed(&[arguments, &["--color", "never"]].concat());
        let always = printed(&[arguments, &["--color", "always"]].concat());
        assert_ne!(never, always, "{arguments:?}");
        let stripped: String = always
            .split('\x1b')
            .map(|part| part.strip_prefix('[').and_then(|part| part.split_once('m')).map_or(part, |(_, rest)| rest))
            .collect();
        assert_eq!(stripped, never, "{arguments:?}: colour moves nothing");
    }
}

#[test]
fn numbers_have_points_in_every_locale() {
    for arguments in FITTED {
        let here = printed(arguments);
        let output = command(arguments).env("LC_ALL", "de_DE.UTF-8").env("LANG", "de_DE.UTF-8").output();
        assert_eq!(text(&output.expect("the command runs").stdout), here, "{arguments:?}");
    }
    let csv = command(&["cmp", RECORD, "--format", "csv"]).env("LC_ALL", "de_DE.UTF-8").output();
    assert_eq!(text(&csv.expect("the command runs").stdout), printed(&["cmp", RECORD, "--format", "csv"]));
}

/// Runs the command with its output read by someone who stops after a line, or does not read at all.
fn with_reader_that_leaves(arguments: &[&str], lines: usize) -> std::process::Output {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_heapmark"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let stdout = child.stdout.take().expect("a pipe");
    let mut reader = BufReader::with_capacity(16, stdout);
    for _ in 0..lines {
        reader.read_line(&mut String::new()).expect("a line");
    }
    drop(reader);
    child.wait_with_output().expect("the command ends")
}

#[test]
fn whoever_stops_reading_causes_no_failure() {
    for arguments in [
        &["cmp", RECORD, "--format", "json"][..],
        &["report", RECORD, "--format", "csv"],
        &["report", RECORD],
        &["rank", RECORD],
        &["completions", "bash"],
        &["man"],
        &["--help"],
    ] {
        for lines in [0, 1] {
            let output = with_reader_that_leaves(arguments, lines);
            assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
            assert_eq!(text(&output.stderr), "", "{arguments:?}");
        }
    }
}

#[test]
fn a_full_disk_is_a_failure_that_says_so() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the kernel's full device");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_heapmark"))
        .args(["report", RECORD])
        .stdout(full)
        .output()
        .expect("the command runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot write to standard output"), "{}", text(&output.stderr));
}

#[test]
fn what_a_record_says_moves_no_cursor_and_breaks_no_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut record = std::fs::read_to_string(RECORD).expect("the record is there");
    for (from, to) in [
        ("\"mimalloc\"", "\"mi\\nX\\u001b[2J\""),
        ("graph/tree", "graph\\nX\\u001b[31m"),
        ("\"unit\":\"tree\"", "\"unit\":\"t\\r\\nX\\u009b1m\""),
        ("\"live\":", "\"li\\nX\\u0007ve\":"),
        ("glibc 2.36", "g\\nX\\u001b[2J"),
        ("broken on purpose", "broken\\nX\\u001b[2J"),
    ] {
        assert!(record.contains(from), "{from} is in the record");
        record = record.replace(from, to);
    }
    let path = folder.path().join("odd.jsonl");
    let path = path.to_str().expect("UTF-8");
    std::fs::write(path, record).expect("the record is written");
    for rest in [
        &["report"][..],
        &["report", "--list"],
        &["report", "--format", "page"],
        &["report", "--format", "table"],
        &["report", "--format", "csv"],
        &["cmp"],
        &["cmp", "--format", "csv"],
        &["rank"],
        &["rank", "--weigh", "cpu=1"],
    ] {
        let shown = printed(&[&rest[..1], &[path], &rest[1..]].concat());
        let odd = shown.chars().find(|letter| letter.is_control() && !['\n', '\t'].contains(letter));
        assert_eq!(odd, None, "{rest:?}: {shown}");
        assert!(!shown.lines().any(|line| line.trim_start().starts_with('X')), "{rest:?}: {shown}");
        assert!(shown.contains("\\nX"), "{rest:?}: it is shown what the record says: {shown}");
    }
}

#[test]
fn a_reason_is_one_line_whatever_it_quotes() {
    let folder = tempfile::tempdir().expect("a folder");
    let odd = "no\nsuch\u{1b}[2J";
    let arrangement =
        changed(&folder, "a.jsonl", "\"arrangement\":\"turns\"", "\"arrangement\":\"no\\nsuch\\u001b[2J\"");
    for arguments in [&["report", &arrangement][..], &["report", odd], &["cmp", RECORD, odd], &["rank", odd]] {
        let output = heapmark(arguments);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{arguments:?}: {errors}");
        assert!(!errors.contains('\x1b') && errors.contains("such"), "{arguments:?}: {errors:?}");
    }
}

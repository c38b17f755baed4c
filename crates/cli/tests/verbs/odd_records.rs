//! Records that somebody edited, joined or damaged, and values that no machine should give: all is shown, or refused with the line.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{RECORD, changed, command, edited, heapmark, printed, reason, text};

/// Names that break tables, paths and selections; that differ by case only, or only after 300 letters.
fn odd_names() -> Vec<String> {
    let long = "x".repeat(300);
    let names = ["a/b:c", "say \"hi\"", "what? *all*", "System", "a,b;c", "-a", " ", ""];
    names.into_iter().map(str::to_owned).chain(["1", "2"].map(|end| format!("{long}{end}"))).collect()
}

fn is_sample(row: &Value) -> bool {
    row["row"] == "sample"
}

/// What `cmp` says of a record, for programs.
fn judged(record: &str) -> Vec<Value> {
    crate::json(&["cmp", record, "--format", "json"]).as_array().expect("an array").clone()
}

/// Every way to show a record.
const VIEWS: [&[&str]; 9] = [
    &["cmp", "--format", "text"],
    &["cmp", "--format", "json"],
    &["cmp", "--format", "csv"],
    &["cmp", "--format", "md"],
    &["report"],
    &["report", "--format", "page"],
    &["report", "--format", "csv"],
    &["rank"],
    &["rank", "--weigh", "throughput=1,peak-rss=1"],
];

/// Shows a record in every way; none may fail, or show what is no number.
fn assert_all_is_shown(record: &str, expected: &str) {
    for view in VIEWS {
        let shown = printed(&[&view[..1], &[record], &view[1..]].concat());
        let words = |shown: &str| -> Vec<String> {
            shown.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect()
        };
        let odd = words(&shown).into_iter().find(|word| ["nan", "inf", "infinity"].contains(&word.as_str()));
        assert_eq!(odd, None, "{view:?}: {shown}");
        assert!(shown.contains(expected), "{view:?}: {expected:?} in {shown}");
    }
}

#[test]
fn names_are_kept_whatever_they_hold() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = judged(RECORD);
    for (index, name) in odd_names().iter().enumerate() {
        let file = format!("{index}.jsonl");
        let quoted = Value::from(name.as_str()).to_string();
        let record = changed(&folder, &file, "\"mimalloc\"", &quoted);
        let rows = judged(&record);
        assert_eq!(rows.len(), before.len(), "{name:?}: as many rows as before");
        let renamed = rows.iter().filter(|row| row["contender"] == name.as_str()).count();
        assert_eq!(renamed, 2 * 4, "{name:?}: two workloads, four metrics");
        for (old, new) in before.iter().zip(&rows) {
            assert_eq!(
                (&old["metric"], &old["ratio"], &old["verdict"]),
                (&new["metric"], &new["ratio"], &new["verdict"])
            );
        }
        assert_all_is_shown(&record, name.split('"').next().unwrap_or_default());
    }
}

#[test]
fn names_that_begin_alike_are_two() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two] = ["1", "2"].map(|end| format!("{}{end}", "x".repeat(300)));
    let record = edited(&folder, "alike.jsonl", |row| {
        let text = row.to_string();
        let text = text.replace("\"mimalloc\"", &format!("\"{one}\"")).replace("\"jemalloc\"", &format!("\"{two}\""));
        *row = serde_json::from_str(&text).expect("a row is JSON");
        true
    });
    let before = judged(RECORD);
    for (row, old) in judged(&record).iter().zip(&before) {
        let expected = match old["contender"].as_str() {
            Some("mimalloc") => one.as_str().into(),
            Some("jemalloc") => two.as_str().into(),
            _ => old["contender"].clone(),
        };
        assert_eq!((&row["contender"], &row["ratio"]), (&expected, &old["ratio"]));
    }
}

#[test]
fn a_workload_is_known_by_its_whole_name_and_parameters() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = "y".repeat(300);
    for (index, name) in ["graph/Tree", "a/b:c\"*?", &format!("{long}1"), "graph\\tree", "größer"].iter().enumerate()
    {
        let quoted = Value::from(*name).to_string();
        let record = changed(&folder, &format!("{index}.jsonl"), "\"graph/tree\"", &quoted);
        let rows = judged(&record);
        assert_eq!(rows.iter().filter(|row| row["workload"] == *name).count(), 4 * 4, "{name:?}");
        assert_eq!(rows.len(), judged(RECORD).len());
    }
}

#[test]
fn rows_in_another_order_say_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = std::fs::read_to_string(RECORD).expect("the record is there");
    let kind = |line: &str| line.starts_with("{\"row\":\"sample\"") || line.starts_with("{\"row\":\"block\"");
    let (samples, others): (Vec<_>, Vec<_>) = record.lines().partition(|line| kind(line));
    let path = folder.path().join("reordered.jsonl");
    let backwards: Vec<&str> = others.into_iter().chain(samples.into_iter().rev()).collect();
    std::fs::write(&path, backwards.join("\n") + "\n").expect("written");
    let path = path.to_str().expect("UTF-8");
    assert_eq!(printed(&["report", path]), printed(&["report", RECORD]));
    let csv = printed(&["report", path, "--format", "csv"]);
    assert_eq!(csv.lines().count(), printed(&["report", RECORD, "--format", "csv"]).lines().count());
}

#[test]
fn what_is_no_row_is_refused_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = std::fs::read_to_string(RECORD).expect("the record is there");
    let lines: Vec<&str> = record.lines().collect();
    let total = lines.len();
    let refused = |name: &str, content: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("written");
        reason(&["report", path.to_str().expect("UTF-8")], 1)
    };
    let inserted = |at: usize, line: &str| {
        let mut lines = lines.clone();
        lines.insert(at, line);
        lines.join("\n") + "\n"
    };
    for (name, content, hint) in [
        ("blank.jsonl", inserted(4, ""), "blank.jsonl: line 5 is not JSON".to_owned()),
        ("log.jsonl", inserted(4, "warning: something"), "log.jsonl: line 5 is not JSON".into()),
        ("torn.jsonl", inserted(4, &lines[4][..50]), "torn.jsonl: line 5 is not JSON".into()),
        ("joined.jsonl", record.repeat(2), format!("joined.jsonl: line {} begins another run", total + 1)),
        ("negative.jsonl", record.replacen("\"wall_ns\":1", "\"wall_ns\":-1", 1), "is not a row: ".into()),
        ("half.jsonl", record.replacen("\"wall_ns\":1", "\"wall_ns\":0.1", 1), "is not a row: ".into()),
        ("empty.jsonl", String::new(), "empty.jsonl: the record is empty".into()),
        ("newer.jsonl", record.replacen("\"schema\":1", "\"schema\":99", 1), "use a newer heapmark".into()),
        ("page.html", "<html></html>\n".into(), "page.html: line 1 is not JSON".into()),
    ] {
        let reason = refused(name, content);
        assert!(reason.starts_with("heapmark: ") && reason.contains(&hint), "{name}: {reason}");
    }
}

/// Lets every sample say something else.
fn with_samples(folder: &TempDir, name: &str, change: fn(&mut Value)) -> String {
    edited(folder, name, |row| {
        if is_sample(row) && row["status"] == "ok" {
            change(row);
        }
        true
    })
}

/// Sets these columns of every turn, and their totals.
fn set_times(row: &mut Value, ns: u64) {
    let turns = row["turns"]["wall_ns"].as_array().map_or(0, Vec::len);
    for key in ["wall_ns", "user_ns", "system_ns", "idle_cpu_ns"] {
        row["turns"][key] = json!(vec![ns; turns]);
        row[key] = json!(ns * 40);
    }
}

#[test]
fn what_took_no_time_has_no_ratio() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = with_samples(&folder, "no-time.jsonl", |row| set_times(row, 0));
    assert_all_is_shown(&record, "mimalloc");
    for row in judged(&record).iter().filter(|row| row["metric"] != "peak-rss" && row["status"] == "ok") {
        assert_eq!((&row["ratio"], &row["verdict"]), (&Value::Null, &"unclear".into()), "{row}");
    }
    assert!(printed(&["cmp", &record]).contains("n/a"));
}

#[test]
fn a_peak_that_nobody_knows_has_no_ratio() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, peak) in [("absent.jsonl", Value::Null), ("zero.jsonl", json!(0))] {
        let record = edited(&folder, name, |row| {
            if is_sample(row) {
                row["peak_rss"] = peak.clone();
            }
            true
        });
        assert_all_is_shown(&record, "mimalloc");
        for row in judged(&record).iter().filter(|row| row["metric"] == "peak-rss" && row["status"] == "ok") {
            assert_eq!((&row["ratio"], &row["verdict"]), (&Value::Null, &"unclear".into()), "{row}");
        }
    }
}

#[test]
fn samples_that_are_all_equal_are_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = with_samples(&folder, "equal.jsonl", |row| {
        set_times(row, 1_000_000);
        (row["units"], row["peak_rss"]) = (json!(1000), json!(10 << 20));
    });
    assert_all_is_shown(&record, "mimalloc");
    for row in judged(&record).iter().filter(|row| row["status"] == "ok") {
        assert_eq!((&row["ratio"], &row["low"], &row["high"]), (&json!(1.0), &json!(1.0), &json!(1.0)), "{row}");
        assert_eq!(row["verdict"], "same", "{row}");
    }
}

#[test]
fn one_block_is_shown_and_nothing_is_called() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = edited(&folder, "one.jsonl", |row| !(is_sample(row) || row["row"] == "block") || row["block"] == 0);
    assert_all_is_shown(&record, "mimalloc");
    for row in judged(&record).iter().filter(|row| row["status"] == "ok") {
        assert!(row["ratio"].is_number() && row["low"].is_null() && row["high"].is_null(), "{row}");
        assert_eq!((&row["verdict"], &row["blocks"]), (&"unclear".into(), &json!(1)), "{row}");
    }
}

#[test]
fn the_greatest_numbers_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = with_samples(&folder, "great.jsonl", |row| {
        set_times(row, u64::MAX / 50);
        (row["units"], row["peak_rss"]) = (json!(u64::MAX), json!(u64::MAX));
    });
    assert_all_is_shown(&record, "mimalloc");
}

#[test]
fn a_path_that_is_no_text_is_told_byte_by_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &[u8]| folder.path().join(OsStr::from_bytes(name));
    let missing = command(&["report"]).arg(path(b"run\xFF.jsonl")).output().expect("the command runs");
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).contains("run\\xFF.jsonl: No such file"), "{}", text(&missing.stderr));

    // Two that look alike where such bytes are replaced.
    let names: [&[u8]; 2] = [b"\xFE.jsonl", b"\xFF.jsonl"];
    for name in names {
        std::fs::copy(RECORD, path(name)).expect("written");
    }
    let output = command(&["cmp", "--format", "json"]).args(names.map(path)).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rows: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = rows.as_array().expect("an array");
    let of =
        |end: &str| rows.iter().filter(|row| row["record"].as_str().is_some_and(|name| name.ends_with(end))).count();
    assert_eq!((of("\\xFE.jsonl"), of("\\xFF.jsonl")), (rows.len() / 2, rows.len() / 2));

    for option in ["-w", "-a", "--reference", "--format", "--margin"] {
        let output =
            command(&["cmp", RECORD, option]).arg(OsStr::from_bytes(b"\xFF")).output().expect("the command runs");
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{option}: {errors}");
        assert!(!errors.contains("panicked") && output.stdout.is_empty(), "{option}: {errors}");
    }
    assert_eq!(heapmark(&["report", ""]).status.code(), Some(2), "no name at all");
}

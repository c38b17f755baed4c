//! `heapmark cmp`

use serde_json::Value;

use crate::{KNOBBED, RECORD, changed, heapmark, json, printed, reason, text};

fn rows(arguments: &[&str]) -> Vec<Value> {
    json(&[&["cmp", RECORD, "--format", "json"], arguments].concat()).as_array().expect("an array").clone()
}

#[test]
fn every_object_has_its_keys_and_every_contender_its_rows() {
    let rows = rows(&[]);
    // Two workloads, four contenders beside the reference, four metrics.
    assert_eq!(rows.len(), 2 * 4 * 4);
    for row in &rows {
        for key in [
            "record",
            "workload",
            "parameters",
            "contender",
            "reference",
            "metric",
            "value",
            "reference_value",
            "ratio",
            "low",
            "high",
            "blocks",
            "verdict",
            "mde",
            "uneven",
            "distrusted",
            "alarmed",
            "trade_off",
            "blocks_needed",
            "cross_checks",
            "status",
        ] {
            assert!(row.get(key).is_some(), "{key} is missing in {row}");
        }
        assert_eq!((&row["record"], &row["reference"]), (&RECORD.into(), &"system".into()));
        let known = ["faster", "slower", "leaner", "fatter", "same", "unclear", "error"];
        assert!(known.contains(&row["verdict"].as_str().expect("a word")), "{row}");
        assert_eq!(row["verdict"] == "error", row["status"] != "ok", "{row}");
        if row["status"] == "ok" {
            let number = |key: &str| row[key].as_f64().expect("a number");
            assert!(number("low") <= number("ratio") && number("ratio") <= number("high"), "{row}");
            assert_eq!(row["blocks"], 6);
        }
    }
    let words: Vec<_> = rows.iter().take(4).map(|row| row["metric"].as_str().unwrap_or_default()).collect();
    assert_eq!(words, ["throughput", "wall", "cpu", "peak-rss"]);
}

#[test]
fn a_contender_that_failed_is_an_error_with_its_reason() {
    let rows = rows(&["-a", "^broken$"]);
    assert_eq!(rows.len(), 2 * 4);
    for row in rows {
        assert_eq!((&row["verdict"], &row["status"]), (&"error".into(), &"failed-to-start".into()));
        assert!(row["detail"].as_str().is_some_and(|detail| detail.contains("broken on purpose")), "{row}");
        assert_eq!(row["ratio"], Value::Null);
    }
}

#[test]
fn faster_but_fatter_is_a_trade_off_and_no_average() {
    let rows = rows(&["-w", "tree", "-a", "^mimalloc$", "--metric", "cpu,peak-rss"]);
    let called: Vec<_> = rows.iter().map(|row| (row["verdict"].as_str(), &row["trade_off"])).collect();
    assert_eq!(called, [(Some("faster"), &true.into()), (Some("fatter"), &true.into())]);
    let shown = printed(&["cmp", RECORD]);
    assert!(shown.contains("mimalloc is a trade-off: faster in "), "{shown}");
    for format in ["text", "page"] {
        let shown = printed(&["report", RECORD, "--format", format]);
        let note = shown.lines().find(|line| line.contains("trade-off, faster in wall and CPU, fatter in peak RSS: "));
        assert!(note.is_some_and(|note| note.contains("mimalloc")), "{format}: {shown}");
    }
}

#[test]
fn what_is_selected_is_shown() {
    let rows = rows(&["-w", "tree", "-a", "^mimalloc$", "--metric", "cpu,peak-rss"]);
    let seen: Vec<_> = rows.iter().map(|row| (row["contender"].as_str(), row["metric"].as_str())).collect();
    assert_eq!(seen, [(Some("mimalloc"), Some("cpu")), (Some("mimalloc"), Some("peak-rss"))]);
    assert_eq!(rows[0]["parameters"]["live"], "200");
    let list = printed(&["cmp", RECORD, "--list", "-W", "tree", "-A", "jemalloc|broken"]);
    let case = "graph/records?records=20000&threads=1";
    assert_eq!(list, format!("{case}\tsystem\tok\n{case}\tmimalloc\tok\n"));
}

#[test]
fn another_reference_turns_ratios_over() {
    let by_system = rows(&["-w", "tree", "-a", "^mimalloc$", "--metric", "peak-rss"]);
    let by_mimalloc = rows(&["-w", "tree", "-a", "^system$", "--metric", "peak-rss", "--reference", "mimalloc"]);
    assert_eq!(by_mimalloc[0]["contender"], "system");
    let ratio = |rows: &[Value]| rows[0]["ratio"].as_f64().expect("a number");
    assert!((ratio(&by_system) * ratio(&by_mimalloc) - 1.0).abs() < 1e-9, "the blocks pair any two");
    let verdicts = (&by_system[0]["verdict"], &by_mimalloc[0]["verdict"]);
    assert_eq!(verdicts, (&"fatter".into(), &"leaner".into()));
    let reason = reason(&["cmp", RECORD, "--reference", "nobody"], 2);
    assert!(reason.contains("nobody") && reason.contains(KNOBBED), "{reason}");
}

#[test]
fn another_margin_judges_anew() {
    let verdict = |margin: &str| {
        let rows = rows(&["-w", "tree", "-a", "^mimalloc$", "--metric", "peak-rss", "--margin", margin]);
        rows[0]["verdict"].as_str().expect("a word").to_owned()
    };
    assert_eq!((verdict("1").as_str(), verdict("100%").as_str()), ("fatter", "same"));
}

#[test]
fn records_that_differ_in_what_matters_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, from, to, hint) in [
        ("machine.jsonl", r#""cores":2"#, r#""cores":64"#, "cores: 2 and 64"),
        ("size.jsonl", r#""live":"200","nodes":"400""#, r#""live":"200","nodes":"500""#, "nodes=400 and nodes=500"),
        ("build.jsonl", "opt-level 3", "opt-level 0", "build"),
        ("huge-pages.jsonl", r#""thp":"madvise""#, r#""thp":"always""#, "transparent huge pages: madvise and always"),
        ("kernel.jsonl", r#""kernel":"Linux "#, r#""kernel":"Other "#, "machines differ in kernel: "),
        ("version.jsonl", "mimalloc 3.3.2", "mimalloc 3.3.3", "mimalloc is not the same in both"),
        ("knob.jsonl", r#""narenas":{"value":"8""#, r#""narenas":{"value":"9""#, "jemalloc is not the same in both"),
        ("preload.jsonl", r#""backend":"mimalloc""#, r#""backend":"libc""#, "mimalloc is not the same in both"),
        ("revision.jsonl", r#""revision":"7db"#, r#""revision":"8db"#, "the revisions differ: "),
        ("margin.jsonl", r#""margin":0.01"#, r#""margin":0.02"#, "give --margin"),
    ] {
        let other = changed(&folder, name, from, to);
        let reason = reason(&["cmp", RECORD, &other], 2);
        assert!(reason.contains(hint) && reason.contains(name), "{name}: {reason}");
    }
    let with_margin =
        heapmark(&["cmp", RECORD, &folder.path().join("margin.jsonl").display().to_string(), "--margin", "1"]);
    assert_eq!(with_margin.status.code(), Some(0), "{}", text(&with_margin.stderr));
}

#[test]
fn records_of_the_same_things_share_a_table_and_keep_their_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = changed(&folder, "again.jsonl", r#""seed":1"#, r#""seed":2"#);
    let rows = json(&["cmp", RECORD, &other, "--format", "json", "--metric", "cpu", "-a", "^mimalloc$"]);
    let names: Vec<_> = rows.as_array().expect("an array").iter().map(|row| row["record"].as_str()).collect();
    assert_eq!(names, [Some(RECORD), Some(RECORD), Some(&*other), Some(&*other)]);
    let table = printed(&["cmp", RECORD, &other, "--metric", "cpu"]);
    assert!(table.contains("again.jsonl"), "{table}");
}

#[test]
fn spreadsheets_and_documents_get_the_same_rows() {
    let csv = printed(&["cmp", RECORD, "--format", "csv"]);
    let columns = |line: &str| line.matches(',').count();
    let mut lines = csv.lines();
    let head = lines.next().expect("a line of names");
    assert!(head.starts_with("record,workload,parameters,contender,reference,metric,value,"), "{head}");
    assert_eq!(lines.clone().count(), 32);
    let plain = lines.find(|line| line.contains(",mimalloc,")).expect("a row without quotes");
    assert_eq!(columns(plain), columns(head), "{plain}");
    assert!(csv.contains(&format!("\"{KNOBBED}\"")), "a comma in a name is quoted");

    let markdown = printed(&["cmp", RECORD, "--format", "md"]);
    let pipes: Vec<usize> = markdown.lines().map(|line| line.matches('|').count()).collect();
    assert_eq!(pipes.len(), 2 + 32);
    assert!(pipes.iter().all(|count| *count == pipes[0]), "{markdown}");
    assert!(markdown.contains("error: failed to start"), "{markdown}");
}

//! `heapmark rank`

use serde_json::Value;

use crate::{RECORD, changed, json, printed, reason};

fn place<'a>(standing: &'a Value, contender: &str) -> &'a Value {
    let mut places = standing["places"].as_array().expect("an array").iter();
    places.find(|place| place["contender"] == contender).expect("everyone has a place")
}

#[test]
fn the_front_is_shown_for_each_workload_and_over_all() {
    let standings = json(&["rank", RECORD, "--format", "json"]);
    assert_eq!(standings["cases"].as_array().map(Vec::len), Some(2));
    assert_eq!(standings["shared"].as_array().map(Vec::len), Some(2), "who failed everywhere does not count");
    assert_eq!((&standings["time"], &standings["weights"]), (&"cpu".into(), &Value::Null));
    for standing in standings["cases"].as_array().into_iter().flatten().chain([&standings["overall"]]) {
        assert_eq!(place(standing, "system")["time"], 1.0);
        assert_eq!(place(standing, "mimalloc")["front"], "front", "nothing takes as little time");
        let broken = place(standing, "broken");
        assert_eq!((&broken["front"], &broken["status"]), (&Value::Null, &"failed-to-start".into()));
        assert!(standing["places"].as_array().into_iter().flatten().all(|place| place["score"].is_null()));
    }
    let text = printed(&["rank", RECORD]);
    for expected in ["over all: geometric means of 2 of 2 workloads", "on the front", "failed to start"] {
        assert!(text.contains(expected), "{expected:?} is missing in {text}");
    }
    assert!(!text.contains("weight"), "there are no default weights: {text}");
}

#[test]
fn weights_make_an_order_and_are_explained() {
    let weighed = ["rank", RECORD, "--weigh", "throughput=2,peak-rss=1"];
    let standings = json(&[&weighed[..], &["--format", "json"]].concat());
    for standing in standings["cases"].as_array().into_iter().flatten().chain([&standings["overall"]]) {
        let scores: Vec<f64> =
            standing["places"].as_array().into_iter().flatten().filter_map(|place| place["score"].as_f64()).collect();
        assert_eq!(scores.len(), 4);
        assert!(scores.is_sorted(), "{scores:?}");
        assert_eq!(standing["places"][0]["place"], 1);
        assert_eq!(place(standing, "system")["score"], 1.0);
    }
    let text = printed(&weighed);
    for expected in
        ["wall time (weight 2) and peak RSS (weight 1)", "makes up for 23.5 % more peak RSS", "ignore the intervals"]
    {
        assert!(text.contains(expected), "{expected:?} is missing in {text}");
    }
}

#[test]
fn weights_that_say_nothing_are_refused() {
    for (weights, hint) in
        [("cpu=0", "no weight"), ("cpu=-1", "at least 0"), ("cpu=1,cpu=2", "two weights"), ("speed=1", "throughput")]
    {
        let output = crate::heapmark(&["rank", RECORD, "--weigh", weights]);
        let errors = crate::text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{weights}: {errors}");
        assert!(errors.contains(hint), "{weights}: {errors}");
    }
}

#[test]
fn a_workload_of_two_records_is_not_counted_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = changed(&folder, "again.jsonl", r#""seed":1"#, r#""seed":2"#);
    let reason = reason(&["rank", RECORD, &other], 2);
    assert!(reason.contains("graph/tree") && reason.contains("twice"), "{reason}");
}

#[test]
fn wall_time_and_selections_are_taken() {
    let standings = json(&["rank", RECORD, "--clock", "wall", "-w", "tree", "-A", "jemalloc", "--format", "json"]);
    assert_eq!(standings["time"], "wall");
    let names: Vec<_> =
        standings["overall"]["places"].as_array().expect("an array").iter().map(|p| p["contender"].clone()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

//! `heapmark doctor`

use serde_json::Value;

use crate::{heapmark, json, text};

#[test]
fn every_fact_has_a_state_and_warnings_have_advice() {
    let found = json(&["doctor", "--no-measure", "--format", "json"]);
    let facts = found["facts"].as_array().expect("an array");
    let names: Vec<_> = facts.iter().map(|fact| fact["fact"].as_str().expect("a name")).collect();
    for name in [
        "processors",
        "frequency governor",
        "load",
        "CPU pressure",
        "memory pressure",
        "steal",
        "virtualisation",
        "CPU quota",
        "memory limit",
        "transparent huge pages",
        "swap",
        "overcommit",
        "address layout",
        "hardware counters",
        "reset of the peak",
        "lazily freed memory",
    ] {
        assert!(names.contains(&name), "{name} is missing in {names:?}");
    }
    for fact in facts {
        let level = fact["level"].as_str().expect("a word");
        assert!(["ok", "warn", "n/a"].contains(&level), "{fact}");
        assert!(!fact["state"].as_str().unwrap_or_default().is_empty(), "{fact}");
        assert!(level != "warn" || !fact["advice"].as_str().unwrap_or_default().is_empty(), "{fact}");
    }
    assert_eq!(found["noise"], Value::Array(Vec::new()));
}

#[test]
fn warnings_are_no_failure_unless_strict() {
    let found = json(&["doctor", "--no-measure", "--format", "json"]);
    let is_warned =
        |found: &Value| found["facts"].as_array().expect("an array").iter().any(|fact| fact["level"] == "warn");
    assert!(found.is_object());
    // The load may have changed in between, so what this very call says counts.
    let strict = heapmark(&["doctor", "--no-measure", "--strict", "--format", "json"]);
    let found: Value = serde_json::from_slice(&strict.stdout).expect("JSON");
    assert_eq!(strict.status.code(), Some(if is_warned(&found) { 5 } else { 0 }), "{found}");
}

#[test]
fn the_noise_is_measured_on_a_small_and_a_large_heap() {
    let found = json(&["doctor", "--budget", "8s", "--format", "json"]);
    let noise = found["noise"].as_array().expect("an array");
    let seen: Vec<_> = noise.iter().map(|row| (row["parameters"]["live"].as_str(), row["metric"].as_str())).collect();
    let rows = |live| ["cpu", "wall", "peak-rss"].map(|metric| (Some(live), Some(metric)));
    // How many blocks fit into the budget depends on the machine, and a workload without any has no rows.
    let (small, large) = (rows("40"), rows("4000"));
    let possible = [&[][..], &small, &large, &[small, large].concat()].map(<[_]>::to_vec);
    assert!(possible.contains(&seen), "{seen:?}");
    assert!(noise.iter().all(|row| row["contender"] == "system (twin)" && row["status"] == "ok"), "{noise:?}");
}

#[test]
fn a_worker_that_fails_is_our_failure_and_the_facts_are_shown() {
    let output = heapmark(&["doctor", "--worker", "dead=/bin/false"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("dead") && text(&output.stdout).contains("transparent huge pages"));
}

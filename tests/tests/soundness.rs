//! The standard workers are sound: every check, in a fresh process each, on workers built as a user builds them.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use heapmark::verify::{Examined, State, Verification};
use heapmark::{Worker, Workspace};

/// All checks there are, in their order.
const CHECKS: [&str; 15] = [
    "align/page",
    "align/2mib",
    "zeroed",
    "realloc",
    "overlap",
    "sizes",
    "contention",
    "remote-free",
    "thread-exit",
    "short-threads",
    "fork",
    "impossible",
    "exhaustion",
    "reuse",
    "purge",
];

/// The workers of these tests by name, built once.
fn worker(name: &str) -> Worker {
    static WORKERS: OnceLock<BTreeMap<String, Worker>> = OnceLock::new();
    let workers = WORKERS.get_or_init(|| {
        let workspace = Workspace::find().expect("the tests lie in the workspace");
        let ours = ["system", "mimalloc", "jemalloc", "snmalloc", "counting", "handicap"];
        let workers = workspace.build(|name| ours.contains(&name)).expect("Cargo runs");
        workers.into_iter().map(|worker| (worker.name.clone(), worker)).collect()
    });
    workers.get(name).unwrap_or_else(|| panic!("{name} is not among {:?}", workers.keys())).clone()
}

fn examined(name: &str) -> Examined {
    let mut soundness = Verification::of([worker(name)]).run(&mut |_| {}).expect("there is something to check");
    let names: Vec<_> = soundness.checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names, CHECKS);
    soundness.contenders.pop().expect("it was examined")
}

/// Examines a worker: no check may fail, none but `purge` may be skipped, and these are its known limits.
fn assert_sound(name: &str, promises_purge: bool, limits: &[&str]) {
    let examined = examined(name);
    assert!(examined.status.is_ok(), "{name}: {}", examined.status);
    assert_eq!(examined.results.len(), CHECKS.len(), "{name}");
    for result in &examined.results {
        let expected = match result.check.as_str() {
            "purge" if !promises_purge => State::Skipped,
            check if limits.contains(&check) => State::KnownLimit,
            _ => State::Pass,
        };
        assert_eq!(result.state, expected, "{name}: {result}");
        assert!(!result.limit_not_seen(), "{name}: {result}");
    }
    let purge = examined.result("purge").expect("it was made");
    assert!(!promises_purge || purge.detail.contains("bytes"), "{name} counts what it keeps: {purge}");
}

#[test]
fn system_is_sound() {
    assert_sound("system", true, &[]);
}

#[test]
fn mimalloc_is_sound() {
    assert_sound("mimalloc", true, &[]);
}

#[test]
fn jemalloc_is_sound() {
    assert_sound("jemalloc", true, &[]);
}

#[test]
fn snmalloc_is_sound() {
    assert_sound("snmalloc", false, &[]);
}

#[test]
fn counting_is_sound() {
    assert_sound("counting", false, &[]);
}

#[test]
fn handicap_is_sound() {
    assert_sound("handicap", true, &[]);
}

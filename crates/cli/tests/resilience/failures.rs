//! Workers that fail, as whoever types `heapmark run` sees them: a row that says how and where, everyone else complete, exit code 1.

use heapmark::record::Record;
use heapmark::{Bytes, Outcome, Status};
use rustix::process::{Signal, kill_process};

use crate::stage::{SLOW, Stage, fixed, reason, text};

/// Asserts that everyone but the one that failed has all their samples of these workloads, and that the failed one is shown.
fn assert_others_are_complete(record: &Record, failed: &str, blocks: usize) {
    let outcome = Outcome::of(record);
    assert!(record.end.is_some() && !outcome.cases.is_empty());
    for case in &outcome.cases {
        assert!(case.contender(failed).is_some(), "{failed} has its row in {}", case.case);
        for contender in case.contenders.iter().chain(&case.twin).filter(|contender| contender.name != failed) {
            assert!(contender.status.is_ok(), "{}: {}", contender.name, contender.status);
            let ours = record.samples_of(&case.case).filter(|sample| sample.contender == contender.name);
            assert_eq!(ours.count(), blocks * 2, "{} in {}", contender.name, case.case);
        }
    }
}

#[test]
fn who_aborts_at_its_first_allocation_failed_to_start() {
    let stage = Stage::with(&["aborting", SLOW]);
    let output = stage.run_command().output().expect("the command runs");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    let how = "aborting: failed to start: killed by SIGABRT: starting: no page of this size";
    assert_eq!(shown.matches(how).count(), 2, "once below each workload: {shown}");
    let record = fixed(&stage.record());
    assert_others_are_complete(&record, "aborting", 7);
    assert!(shown.contains(SLOW), "{shown}");
}

#[test]
fn who_needs_more_memory_than_allowed_is_told_and_the_others_go_on() {
    let stage = Stage::with(&["hungry", SLOW]);
    let mut command = stage.command(&["-w", "^test/", "--blocks", "6", "--memory-limit", "1GiB", "-o"]);
    let output = command.arg(stage.record()).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert_eq!(shown.matches("hungry: ceiling hit: dropping everything: ").count(), 2, "{shown}");
    assert!(shown.contains("where 1.00 GiB are allowed") && shown.contains("1.00 GiB at most for a worker"), "{shown}");

    let record = fixed(&stage.record());
    assert_others_are_complete(&record, "hungry", 6);
    assert_eq!(record.run.as_ref().map(|run| run.settings.memory_limit), Some(Some(Bytes(1 << 30))));
    let failures: Vec<_> = record.samples.iter().filter(|sample| !sample.status.is_ok()).collect();
    assert_eq!(failures.len(), 2, "it is not tried again in a workload: {failures:?}");
    assert!(failures.iter().all(|sample| matches!(sample.status, Status::CeilingHit { .. })), "{failures:?}");

    let mut command = stage.resume_command();
    let output = command.args(["--memory-limit", "2GiB"]).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("leave out --memory-limit"), "{}", reason(&output));
}

#[test]
fn who_is_killed_in_its_work_is_told_with_turn_and_memory() {
    let stage = Stage::new();
    stage.stop_at(&format!("turn7 {SLOW} 3 test/one"));
    let (child, worker) = stage.until_stopped(stage.run_command());
    stage.never_stop();
    kill_process(worker, Signal::KILL).expect("it waits, and is the run's");
    let output = child.wait_with_output().expect("it ends");
    stage.wait_until_nothing_runs();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let how = format!("{SLOW}: killed by SIGKILL: working; after 6 turns, with 1.43 MiB resident");
    assert!(text(&output.stdout).contains(&how), "{}", text(&output.stdout));

    let record = fixed(&stage.record());
    assert!(record.end.is_some());
    let failure = record.samples.iter().find(|sample| !sample.status.is_ok()).expect("it has its row");
    // One of the six was untimed.
    assert_eq!((failure.turns.wall_ns.len(), failure.turns.rss.last()), (5, Some(&Bytes(1_500_000))));
}

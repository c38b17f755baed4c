//! A harness that is killed takes its workers with it and leaves a record to go on with; a worker that is killed is a row.

use std::process::Command;

use heapmark::record::{Record, Role};
use heapmark::{Outcome, Status};
use rustix::process::{Signal, kill_process};

use crate::stage::{SLOW, Stage, assert_complete, fixed, fixed_text, reason, signal, text};

#[test]
fn a_killed_run_is_finished_by_resuming_it() {
    let stage = Stage::new();
    let (printed, whole) = stage.undisturbed();
    for (moment, how) in [
        (format!("turn {SLOW} 9 test/one"), Signal::KILL),
        ("turn system 20 test/two".to_owned(), Signal::TERM),
        ("prepare counting 0 test/one".to_owned(), Signal::KILL),
        ("quit system 0 test/two".to_owned(), Signal::KILL),
    ] {
        stage.stop_at(&moment);
        let (child, _) = stage.until_stopped(stage.run_command());
        signal(&child, how);
        child.wait_with_output().expect("it ends");
        stage.wait_until_nothing_runs();
        assert!(fixed(&stage.record()).end.is_none(), "{moment}");
        stage.never_stop();
        let output = stage.resume();
        assert_eq!(fixed(&stage.record()), fixed_text(&whole), "{moment}");
        assert_eq!(text(&output.stdout), printed, "{moment}");
        std::fs::remove_file(stage.record()).expect("it is ours");
    }
}

#[test]
fn real_workers_end_with_a_killed_run_and_resume() {
    let stage = Stage::with(&["handicap"]);
    let command = Command::new(env!("CARGO_BIN_EXE_heapmark")).args(["build", "-a", "^system$"]).output();
    let listing = text(&command.expect("the command runs").stdout);
    let (_, program) = listing.trim_end().split_once('\t').expect("a line with the program");
    std::os::unix::fs::symlink(program, stage.path("system.real")).expect("a link in a folder of our own");

    stage.stop_at("turn handicap 1 graph/tree");
    let mut command = stage.command(&["-w", "^graph/tree$", "--blocks", "2", "--measure", "time", "-o"]);
    command.arg(stage.record());
    let (child, _) = stage.until_stopped(command);
    signal(&child, Signal::KILL);
    child.wait_with_output().expect("it ends");
    stage.wait_until_nothing_runs();

    let before = fixed(&stage.record());
    assert_eq!((before.blocks.len(), before.end.is_none()), (1, true));
    stage.never_stop();
    stage.resume();
    let after = fixed(&stage.record());
    assert_complete(&after, 2);
    assert_eq!(after.cases, before.cases, "it is not calibrated again");
    assert!(after.samples.starts_with(&before.samples), "what was measured is kept as it was");
    let twins = |record: &Record, role: Role| -> Vec<u64> {
        record.samples.iter().filter(|s| s.role == role).map(|s| s.checksum).collect()
    };
    assert_eq!(twins(&after, Role::Twin), twins(&after, Role::Reference));
}

#[test]
fn a_killed_worker_is_a_row_and_the_rest_is_complete() {
    let stage = Stage::new();
    for (who, others) in [(SLOW, "system"), ("system", SLOW)] {
        stage.stop_at(&format!("turn {who} 9 test/one"));
        let (child, worker) = stage.until_stopped(stage.run_command());
        stage.never_stop();
        kill_process(worker, Signal::KILL).expect("it waits, and is the run's");
        let output = child.wait_with_output().expect("it ends");
        stage.wait_until_nothing_runs();
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("killed by SIGKILL"), "{}", text(&output.stdout));

        let record = fixed(&stage.record());
        assert!(record.end.is_some());
        let failures: Vec<_> = record.samples.iter().filter(|sample| !sample.status.is_ok()).collect();
        assert_eq!(failures.len(), 1, "it is not tried again in that workload: {failures:?}");
        assert_eq!((failures[0].case.workload.as_str()), "test/one");
        assert!(matches!(failures[0].status, Status::Signal { signal: 9, .. }), "{}", failures[0].status);
        let outcome = Outcome::of(&record);
        for (workload, name, good) in [("test/one", others, 14), ("test/two", SLOW, 14), ("test/two", "system", 14)] {
            let case = outcome.case(workload).expect("it was measured");
            assert!(case.contender(name).is_some_and(|contender| contender.status.is_ok()), "{name} in {workload}");
            let samples = record.samples_of(&case.case).filter(|s| s.contender == name && s.status.is_ok()).count();
            assert_eq!(samples, good, "{name} in {workload}");
        }
        let resumed = stage.resume_command().output().expect("the command runs");
        assert!(reason(&resumed).ends_with("the run is complete; there is nothing to resume"), "{}", reason(&resumed));
        std::fs::remove_file(stage.record()).expect("it is ours");
    }
}

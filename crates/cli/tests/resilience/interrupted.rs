//! An interrupt ends a run in good order, and the rest can be measured later.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

use heapmark::record::Record;
use rustix::process::Signal;

use crate::stage::{PATIENCE, SLOW, Stage, assert_complete, fixed, fixed_text, reason, signal, text};

/// Starts a command, and interrupts it so many times at once when a worker has stopped.
fn interrupt(stage: &Stage, command: Command, times: usize) -> Output {
    let (child, _) = stage.until_stopped(command);
    for _ in 0..times {
        signal(&child, Signal::INT);
    }
    let begun = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    stage.wait_until_nothing_runs();
    assert!(begun.elapsed() < PATIENCE);
    output
}

/// What an interrupted run says, and what it leaves.
fn assert_interrupted(stage: &Stage, output: &Output) -> Record {
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let hint = format!("heapmark: interrupted; go on with --resume {}", stage.record().display());
    assert_eq!(reason(output), hint);
    let record = fixed(&stage.record());
    assert!(record.end.is_none());
    let complete =
        |sample: &&heapmark::record::Sample| record.is_complete(&sample.case, sample.block, sample.arrangement);
    assert!(record.samples.iter().all(|sample| complete(&sample)), "the block that was cut leaves nothing");
    record
}

#[test]
fn a_run_interrupted_twice_ends_like_one_that_was_not() {
    let stage = Stage::new();
    let (printed, whole) = stage.undisturbed();
    let whole = fixed_text(&whole);
    assert_complete(&whole, 7);

    stage.stop_at(&format!("turn {SLOW} 9 test/one"));
    let output = interrupt(&stage, stage.run_command(), 1);
    let first = assert_interrupted(&stage, &output);
    assert!(first.blocks.len() >= 9 && first.blocks.len() < 14, "{} rows of blocks", first.blocks.len());
    let shown = text(&output.stdout);
    assert!(shown.contains("test/one") && shown.contains("test/two") && shown.contains(SLOW), "{shown}");

    // A signal to the process and one to its group, as a terminal and a shell may send them, are one wish.
    stage.stop_at("turn system 18 test/two");
    let output = interrupt(&stage, stage.resume_command(), 2);
    let second = assert_interrupted(&stage, &output);
    assert!(second.blocks.len() >= 18 && second.blocks.starts_with(&first.blocks));

    stage.never_stop();
    let output = stage.resume();
    assert_eq!(fixed(&stage.record()), whole);
    assert_eq!(text(&output.stdout), printed);
}

#[test]
fn workloads_that_were_not_begun_are_measured_by_the_resumed_run() {
    let stage = Stage::new();
    let (_, whole) = stage.undisturbed();
    stage.stop_at("prepare system 0 test/two");
    let output = interrupt(&stage, stage.run_command(), 1);
    let record = assert_interrupted(&stage, &output);
    assert_eq!((record.planned.len(), record.cases.len()), (2, 1), "the second was being calibrated");
    stage.never_stop();
    stage.resume();
    assert_eq!(fixed(&stage.record()), fixed_text(&whole));
}

#[test]
fn an_interrupt_before_anything_is_measured_leaves_nothing_behind() {
    let stage = Stage::new();
    for who in ["system", SLOW, "counting"] {
        stage.stop_at(&format!("hello {who} 0 any"));
        let output = interrupt(&stage, stage.run_command(), 1);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        assert_eq!(reason(&output), "heapmark: interrupted before anything was measured");
        assert!(!stage.record().exists());
    }
    // Nor does it hurt what there is.
    stage.stop_at("turn system 5 test/one");
    interrupt(&stage, stage.run_command(), 1);
    let before = std::fs::read(stage.record()).expect("it is there");
    stage.stop_at(&format!("hello {SLOW} 0 any"));
    let output = interrupt(&stage, stage.resume_command(), 1);
    assert_eq!(reason(&output), "heapmark: interrupted before anything was measured");
    assert_eq!(std::fs::read(stage.record()).expect("it is there"), before);
}

#[test]
fn an_interrupt_is_heard_while_a_worker_does_not_exit() {
    let stage = Stage::new();
    stage.stop_at(&format!("quit {SLOW} 9 test/one"));
    let begun = Instant::now();
    let (child, _) = stage.until_stopped(stage.run_command());
    signal(&child, Signal::INT);
    let interrupted = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    // A worker may take 30 s to exit.
    assert!(interrupted.elapsed().as_secs() < 25, "{:?} of {:?}", interrupted.elapsed(), begun.elapsed());
    stage.wait_until_nothing_runs();
    assert_interrupted(&stage, &output);
}

#[test]
fn an_interrupted_build_is_not_begun_again() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let builds = folder.path().join("builds");
    let output = Command::new(env!("CARGO_BIN_EXE_heapmark"))
        .args(["run", "-w", "graph/tree", "-a", "^system$", "-o"])
        .arg(folder.path().join("run.jsonl"))
        .env("CARGO", Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/resilience/cargo.sh"))
        .env("BUILDS", &builds)
        .output()
        .expect("the command runs");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert_eq!(reason(&output), "heapmark: cargo build was ended by signal 2");
    assert_eq!(std::fs::read_to_string(builds).expect("it was begun").lines().count(), 1);
    assert!(!folder.path().join("run.jsonl").exists());
}

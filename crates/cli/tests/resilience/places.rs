//! Where a record may be written, and by whom.

use rustix::process::Signal;

use crate::stage::{SLOW, Stage, fixed, fixed_text, reason, signal, text};

#[test]
fn a_folder_that_is_not_there_is_made() {
    let stage = Stage::new();
    let path = stage.path("new/newer/run.jsonl");
    let mut command = stage.command(&["-w", "test/one", "--blocks", "1", "-o"]);
    let output = command.arg(&path).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(fixed(&path).blocks.len(), 2);
}

#[test]
fn a_place_where_nothing_can_be_written_is_refused_before_anything_starts() {
    let stage = Stage::new();
    std::fs::write(stage.path("file"), "precious").expect("a file in a folder of our own");
    for (path, action) in [
        (stage.path("file/run.jsonl"), "cannot create the folder"),
        (stage.path("file/below/run.jsonl"), "cannot create the folder"),
        ("/proc/heapmark/run.jsonl".into(), "cannot create the folder"),
        (stage.path("file"), "cannot create"),
        (stage.path("."), "cannot create"),
    ] {
        // Whoever were started would be the reason that is given.
        stage.stop_at("hello system 0 any");
        let mut command = stage.command(&["-w", "test/one", "-o"]);
        let output = command.arg(&path).output().expect("the command runs");
        let reason = reason(&output);
        assert_eq!(output.status.code(), Some(1), "{reason}");
        let named = path.parent().expect("it has one").display().to_string();
        assert!(reason.starts_with(&format!("heapmark: {action} ")) && reason.contains(&named), "{reason}");
        assert!(output.stdout.is_empty());
        assert_eq!(std::fs::read_to_string(stage.path("file")).expect("it is there"), "precious");
    }
}

#[test]
fn a_request_that_fails_leaves_no_file_behind() {
    let stage = Stage::new();
    let mut command = stage.command(&["-w", "no/such", "-o"]);
    let output = command.arg(stage.record()).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    assert!(!stage.record().exists(), "so that the same file can be named again");
}

#[test]
fn a_record_that_is_being_written_is_nobody_elses() {
    let stage = Stage::new();
    let (_, whole) = stage.undisturbed();
    stage.stop_at(&format!("turn {SLOW} 9 test/one"));
    let (child, _) = stage.until_stopped(stage.run_command());
    stage.never_stop();
    let before = std::fs::read(stage.record()).expect("it is there");
    let output = stage.resume_command().output().expect("the command runs");
    let expected = format!("heapmark: {}: another heapmark is writing it", stage.record().display());
    assert_eq!((output.status.code(), reason(&output)), (Some(1), expected));
    assert_eq!(std::fs::read(stage.record()).expect("it is there"), before);
    signal(&child, Signal::KILL);
    child.wait_with_output().expect("it ends");
    stage.wait_until_nothing_runs();
    stage.resume();
    assert_eq!(fixed(&stage.record()), fixed_text(&whole), "what is no longer being written can be gone on with");
}

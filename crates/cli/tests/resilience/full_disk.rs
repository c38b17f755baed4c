//! A disk that becomes full in the middle of a run.

use std::process::{Command, Output, Stdio};

use crate::stage::{Stage, fixed, fixed_text, reason, text};

/// Runs a command that may let no file grow beyond so many blocks of 512 bytes. The kernel would end it by a signal before a
/// write could fail, see setrlimit(2), so that signal is ignored.
fn limited(command: &Command, blocks: usize) -> Output {
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f \"$1\"; shift; exec \"$@\"", "sh"]).arg(blocks.to_string());
    shell.arg(command.get_program()).args(command.get_args());
    shell.stdin(Stdio::null()).output().expect("there is a shell")
}

#[test]
fn what_was_measured_is_shown_and_kept_and_the_run_can_go_on() {
    let stage = Stage::new();
    let (printed, whole) = stage.undisturbed();
    let size = whole.len() / 512;
    for blocks in [size / 3, size / 2, size] {
        let output = limited(&stage.run_command(), blocks);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let expected = format!("heapmark: cannot write to {}: File too large (os error 27)", stage.record().display());
        assert_eq!(reason(&output), expected, "after {blocks} of {size}");
        assert!(text(&output.stderr).contains("--resume"), "{}", text(&output.stderr));
        let shown = text(&output.stdout);
        assert!(shown.contains("test/one") && shown.contains("test/two") && shown.contains("1.00 /s"), "{shown}");

        let kept = std::fs::read(stage.record()).expect("it was begun");
        assert!(kept.ends_with(b"}\n"), "no torn line is left");
        // Full it may be once more.
        let output = limited(&stage.resume_command(), blocks);
        assert_eq!((output.status.code(), reason(&output)), (Some(1), expected));
        let output = stage.resume();
        assert_eq!(fixed(&stage.record()), fixed_text(&whole), "after {blocks} of {size}");
        assert_eq!(text(&output.stdout), printed, "after {blocks} of {size}");
        std::fs::remove_file(stage.record()).expect("it is ours");
    }
}

#[test]
fn a_disk_that_is_full_from_the_beginning_fails_before_anything_is_measured() {
    let stage = Stage::new();
    let (_, whole) = stage.undisturbed();
    let plan = whole.find("{\"row\":\"plan\"").expect("there is a plan");
    for blocks in [0, plan / 512] {
        let output = limited(&stage.run_command(), blocks);
        let expected = format!("heapmark: cannot write to {}: File too large (os error 27)", stage.record().display());
        assert_eq!((output.status.code(), reason(&output)), (Some(1), expected), "{blocks}");
        let kept = std::fs::read_to_string(stage.record());
        assert_eq!(kept.is_ok(), blocks > 0, "a file without a row is removed");
        assert!(kept.is_ok_and(|kept| !kept.contains("\"row\":\"case\"")) || blocks == 0, "{blocks}");
        let resumed = stage.resume_command().output().expect("the command runs");
        assert!(!resumed.status.success() && reason(&resumed).contains("run.jsonl"), "{}", reason(&resumed));
        let _ = std::fs::remove_file(stage.record());
    }
}

//! What cannot be resumed is refused in one line, and stays as it is.

use std::process::Command;

use heapmark::record::SCHEMA;

use crate::stage::{SLOW, Stage, reason, text};

/// Fails to resume; the reason.
fn refused(stage: &Stage, mut command: Command, code: i32) -> String {
    let before = std::fs::read(stage.record()).ok();
    let output = command.output().expect("the command runs");
    let reason = reason(&output);
    assert_eq!(output.status.code(), Some(code), "{reason}");
    assert_eq!(text(&output.stderr).lines().count(), 1, "{}", text(&output.stderr));
    assert!(reason.starts_with("heapmark: ") && output.stdout.is_empty(), "{reason}");
    assert_eq!(std::fs::read(stage.record()).ok(), before, "{reason}");
    reason
}

#[test]
fn what_is_not_as_it_was_is_named() {
    let stage = Stage::new();
    let (_, whole) = stage.undisturbed();
    let complete: String = whole.clone();
    let end = whole.find("{\"row\":\"end\"").expect("it came to its end");
    let unfinished = &whole[..end];
    // The last line is torn as well, and stays so.
    let torn = unfinished.trim_end().to_owned() + "\n{\"row\":";
    let edited = |key: &str, value: &str| {
        let row: serde_json::Value = serde_json::from_str(unfinished.lines().next().expect("a run")).expect("JSON");
        let mut row = row;
        *row.pointer_mut(key).unwrap_or_else(|| panic!("there is {key}")) = value.into();
        row.to_string() + &torn[torn.find('\n').expect("more than a line")..]
    };
    let newer = SCHEMA + 1;
    for (content, code, hint) in [
        (complete, 2, "the run is complete; there is nothing to resume"),
        (edited("/machine/cpu", "another"), 2, "the run cannot be resumed: the machines differ in cpu: another and "),
        (edited("/tool/revision", "abc"), 2, "the run cannot be resumed: the revisions differ: abc and "),
        (whole.replacen("\"schema\":1", &format!("\"schema\":{newer}"), 1), 1, "use a newer heapmark"),
        ("[package]\n".into(), 1, "run.jsonl: line 1 is not JSON"),
        ("[1, 2]".into(), 1, "run.jsonl: it does not begin with the row of a run"),
        (String::new(), 1, "run.jsonl: the record is empty"),
    ] {
        std::fs::write(stage.record(), content).expect("it is ours");
        let reason = refused(&stage, stage.resume_command(), code);
        assert!(reason.contains(hint), "{reason}");
    }
    std::fs::remove_file(stage.record()).expect("it is ours");
    let reason = refused(&stage, stage.resume_command(), 1);
    assert!(reason.contains("cannot read") && reason.contains("run.jsonl: No such file"), "{reason}");
    std::fs::create_dir(stage.record()).expect("a folder of our own");
    let reason = refused(&stage, stage.resume_command(), 1);
    assert!(reason.contains("cannot read") && reason.contains("run.jsonl: Is a directory"), "{reason}");
}

#[test]
fn other_contenders_than_before_are_named() {
    let stage = Stage::new();
    let (_, whole) = stage.undisturbed();
    let end = whole.find("{\"row\":\"end\"").expect("it came to its end");
    std::fs::write(stage.record(), &whole[..end]).expect("it is ours");

    let slow = stage.path(SLOW);
    std::fs::remove_file(&slow).expect("it is ours");
    let reason = refused(&stage, stage.resume_command(), 2);
    assert!(reason.contains(&format!("no backend is named {SLOW:?}")) && reason.contains("--worker"), "{reason}");

    // A program of another identity under the same name.
    let mut command = stage.resume_command();
    std::os::unix::fs::symlink(stage.path("system"), stage.path("handicap")).expect("a link in a folder of our own");
    command.arg("--worker").arg(format!("{SLOW}={}", stage.path("handicap").display()));
    let reason = refused(&stage, command, 2);
    assert!(reason.contains(&format!("the run cannot be resumed: {SLOW} is not the same in both")), "{reason}");
}

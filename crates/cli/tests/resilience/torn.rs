//! A record that ends anywhere, as a crash or a power cut may leave it.

use crate::rows::{line_end, rows};
use crate::stage::{SLOW, Stage, fixed, fixed_text, reason, text};

#[test]
fn wherever_a_record_ends_the_resumed_run_is_the_same() {
    let stage = Stage::new();
    let (printed, whole) = stage.undisturbed();
    let expected = fixed_text(&whole);
    let (samples, blocks, ends) = (rows(&whole, "sample"), rows(&whole, "block"), rows(&whole, "end"));
    let letter = whole[samples[20]..].find('ö').expect("somebody has this letter") + samples[20];
    let plan_end = line_end(&whole, rows(&whole, "plan")[0]);
    for (what, end) in [
        ("the plan", plan_end),
        ("the plan but for its line feed", plan_end - 1),
        ("half a case", rows(&whole, "case")[1] + 40),
        ("counts but for their line feed", line_end(&whole, rows(&whole, "counts")[0]) - 1),
        ("half of the first sample", samples[0] + 1000),
        ("half a letter", letter + 1),
        ("the first sample of a block", line_end(&whole, samples[9])),
        ("all samples of a block", blocks[4]),
        ("half the row of a block", blocks[4] + 30),
        ("a block but for its line feed", line_end(&whole, blocks[4]) - 1),
        ("a block", line_end(&whole, blocks[5])),
        ("all but the end", ends[0]),
        ("half the end", ends[0] + 10),
    ] {
        std::fs::write(stage.record(), &whole.as_bytes()[..end]).expect("it is ours");
        let output = stage.resume();
        assert_eq!(fixed(&stage.record()), expected, "{what}");
        assert_eq!(text(&output.stdout), printed, "{what}");
        let record = std::fs::read_to_string(stage.record()).expect("UTF-8");
        assert!(record.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{what}");
    }
    // What a file system may leave of rows that did not reach the disk.
    let zeroes = [&whole.as_bytes()[..blocks[4]], &[0; 5000]].concat();
    std::fs::write(stage.record(), zeroes).expect("it is ours");
    stage.resume();
    assert_eq!(fixed(&stage.record()), expected);
}

#[test]
fn a_record_that_ends_before_the_plan_says_so() {
    let stage = Stage::new();
    let (_, whole) = stage.undisturbed();
    let contenders = rows(&whole, "contender");
    let plan = rows(&whole, "plan")[0];
    let name = whole.find(SLOW).expect("it takes part") + 3;
    for (end, code, hint) in [
        (0, 1, "the record is empty"),
        (1, 1, "line 1 is not JSON"),
        (contenders[0] - 2, 1, "line 1 is not JSON"),
        (contenders[0] - 1, 2, "interrupted before anything was measured; there is nothing to resume"),
        (contenders[0], 2, "interrupted before anything was measured; there is nothing to resume"),
        (contenders[2], 2, "interrupted before anything was measured; there is nothing to resume"),
        (name, 2, "interrupted before anything was measured; there is nothing to resume"),
        (plan, 2, "interrupted before anything was measured; there is nothing to resume"),
        (plan + 20, 2, "interrupted before anything was measured; there is nothing to resume"),
    ] {
        std::fs::write(stage.record(), &whole.as_bytes()[..end]).expect("it is ours");
        let output = stage.resume_command().output().expect("the command runs");
        let reason = reason(&output);
        assert_eq!(output.status.code(), Some(code), "{end} bytes: {reason}");
        assert!(reason.contains("run.jsonl: ") && reason.contains(hint), "{end} bytes: {reason}");
        assert_eq!(std::fs::read(stage.record()).expect("it is there"), &whole.as_bytes()[..end], "it stays as it is");
    }
}

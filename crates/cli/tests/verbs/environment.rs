//! Variables that stand for options of `run`; options win.

use crate::{command, text};

fn plan(variables: &[(&str, &str)], arguments: &[&str]) -> (Option<i32>, String) {
    let arguments = [&["run", "--list", "-w", "^graph/tree$", "-a", "^(system|mimalloc)$"], arguments].concat();
    let output = command(&arguments).envs(variables.iter().copied()).output().expect("the command runs");
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn variables_are_taken() {
    let (code, shown) = plan(&[("HEAPMARK_REFERENCE", "mimalloc"), ("HEAPMARK_THREADS", "1")], &[]);
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("graph/tree?threads=1\tmimalloc (twin)\tok"), "{shown}");
    for (name, value) in [
        ("HEAPMARK_BUDGET", "soon"),
        ("HEAPMARK_BLOCKS", "0"),
        ("HEAPMARK_PRECISION", "x"),
        ("HEAPMARK_PRESET", "x"),
        ("HEAPMARK_SEED", "x"),
        ("HEAPMARK_MARGIN", "x"),
    ] {
        let (code, shown) = plan(&[(name, value)], &[]);
        assert_eq!(code, Some(2), "{name}: {shown}");
    }
}

#[test]
fn the_command_line_wins() {
    let (code, shown) = plan(&[("HEAPMARK_REFERENCE", "nobody")], &["--reference", "system"]);
    assert_eq!(code, Some(0), "{shown}");
    for given in [&["--blocks", "1"][..], &["--precision", "1"], &["--preset", "quick"]] {
        let (code, shown) = plan(&[("HEAPMARK_BUDGET", "60s")], given);
        assert_eq!(code, Some(0), "{given:?}: {shown}");
    }
}

#[test]
fn variables_that_exclude_each_other_are_refused() {
    let (code, shown) = plan(&[("HEAPMARK_BUDGET", "60s"), ("HEAPMARK_BLOCKS", "6")], &[]);
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains("only one of"), "{shown}");
}

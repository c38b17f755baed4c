//! What `heapmark new` refuses. What it makes is built by the test of the tutorial.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

fn new(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("heapmark").expect("the command is built");
    command.arg("new").args(arguments).current_dir(folder).output().expect("the command runs")
}

fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = new(folder, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert!(output.stdout.is_empty() && !said.contains("panicked"), "{arguments:?}: {said}");
    said
}

#[test]
fn names_and_places_that_will_not_do() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let here = folder.path();
    for (arguments, hint) in [
        (&["allocator"][..], "NAME"),
        (&["pool", "mine"], "allocator, workload"),
        (&["allocator", "Mine"], "lower-case"),
        (&["allocator", "../mine"], "lower-case"),
        (&["workload", "fn"], "choose another"),
        (&["allocator", "system"], "the name of a standard allocator"),
        (&["allocator", "mine", "--heapmark", "."], ". is no heapmark checkout"),
        (&["allocator", "mine", "--heapmark", "/no/such"], "give one by --heapmark DIR"),
    ] {
        let said = refused(here, arguments);
        assert!(said.contains(hint), "{arguments:?}: {said}");
    }
    let said = refused(Path::new(env!("CARGO_MANIFEST_DIR")), &["allocator", "mine"]);
    assert!(said.contains("lies in the heapmark checkout"), "{said}");
    assert_eq!(std::fs::read_dir(here).expect("it is there").count(), 0, "nothing was made");
}

#[test]
fn nothing_is_overwritten() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let output = new(folder.path(), &["workload", "mine", "--path", "below/here"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("cd below/here") && said.contains("heapmark list own/mine"), "{said}");
    let source = folder.path().join("below/here/src/lib.rs");
    std::fs::write(&source, "precious").expect("it is ours");
    let said = refused(folder.path(), &["workload", "mine", "--path", "below/here"]);
    assert!(said.contains("is there already"), "{said}");
    assert_eq!(std::fs::read_to_string(&source).expect("it is there"), "precious");
}

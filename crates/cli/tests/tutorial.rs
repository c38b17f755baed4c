//! The tutorial, command by command, in a folder outside the repository: what `heapmark new` makes is built, found and compared.

use std::path::Path;
use std::process::Command;

use heapmark::record::{Record, Role};

const PAGE: &str = include_str!("../../../docs/tutorial.md");

/// The code in blocks of this language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let blocks = PAGE.split(fence.as_str()).skip(1);
    blocks.map(|rest| rest.split_once("```").expect("a block has an end").0).collect()
}

/// The contenders of a record, all of them sound in each workload; and the workloads.
fn sound(path: &Path) -> (Vec<String>, Vec<String>) {
    let record = Record::read(path).expect("the run wrote its record");
    for row in &record.contenders {
        assert!(row.status.is_ok(), "{}: {}", row.name, row.status);
        let samples: Vec<_> = record.samples.iter().filter(|sample| sample.contender == row.name).collect();
        assert!(!samples.is_empty(), "{} has no row", row.name);
        assert!(samples.iter().all(|sample| sample.status.is_ok()), "{samples:?}");
    }
    let contenders = record.contenders.iter().filter(|row| row.role != Role::Twin);
    let cases = record.planned.iter().map(ToString::to_string);
    (contenders.map(|row| row.name.clone()).collect(), cases.collect())
}

#[test]
fn every_command_of_the_tutorial_works() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let heapmark = Path::new(env!("CARGO_BIN_EXE_heapmark"));
    let program_folder = heapmark.parent().expect("a program lies in a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(program_folder.to_owned()).chain(std::env::split_paths(&path)));
    // Where the workspace is built, so that what both need is built once.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it lies in the target folder");
    let script = format!("set -eu\n{}", blocks("sh").concat());
    let mut command = Command::new("sh");
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("HEAPMARK_")) {
            command.env_remove(name);
        }
    }
    let output = command
        .args(["-c", &script])
        .current_dir(folder.path())
        .env("PATH", path.expect("no folder on the path has a colon"))
        .env("CARGO_TARGET_DIR", target)
        .output()
        .expect("there is a shell");
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("warning:"), "what is made compiles without warnings: {said}");

    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (contenders, cases) = sound(&folder.path().join("shelves/first.jsonl"));
    assert_eq!((contenders, cases), (names(&["system", "shelves"]), names(&["graph/tree"])));
    let both = names(&["requests-system", "requests-mimalloc"]);
    let (contenders, cases) = sound(&folder.path().join("requests/second.jsonl"));
    assert_eq!((contenders, cases), (both.clone(), names(&["own/requests"])));
    let (contenders, cases) = sound(&folder.path().join("requests/third.jsonl"));
    assert_eq!((contenders, cases), (both, names(&["own/requests?fields=3&threads=1"])));
}

#[test]
fn code_on_the_page_is_in_the_templates() {
    let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    let files = ["allocator/src/main.rs", "allocator/src/identity.rs", "workload/src/lib.rs"];
    let texts = files.map(|file| std::fs::read_to_string(templates.join(file)).expect("the file is there"));
    for block in blocks("rust") {
        assert!(texts.iter().any(|text| text.contains(block)), "no template has\n{block}");
    }
}

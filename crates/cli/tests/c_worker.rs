//! A worker in another language, which links nothing of heapmark, runs beside the standard ones.

use std::path::{Path, PathBuf};
use std::process::Command;

use heapmark::record::{Record, Sample};
use tempfile::TempDir;

/// Builds the worker of `examples/c-worker` by its own Makefile, in a folder of ours.
fn build(folder: &TempDir) -> PathBuf {
    let makefile = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c-worker/Makefile");
    let output = Command::new("make").arg("-C").arg(folder.path()).arg("-f").arg(makefile).output().expect("make runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("warning"), "{said}");
    folder.path().join("heapmark-worker-c")
}

/// Runs the standard `system` beside the worker in C; the exit code and the record.
fn run(folder: &TempDir, worker: &Path, arguments: &[&str]) -> (Option<i32>, Record) {
    let record = folder.path().join("run.jsonl");
    let output = Command::new(env!("CARGO_BIN_EXE_heapmark"))
        .args(["run", "-w", "^graph/tree$", "-a", "^system$", "--blocks", "1", "-o"])
        .arg(&record)
        .arg("--worker")
        .arg(format!("c={}", worker.display()))
        .args(arguments)
        .output()
        .expect("the command runs");
    let said = String::from_utf8_lossy(&output.stderr);
    let record = Record::read(&record).unwrap_or_else(|error| panic!("{error}: {said}"));
    (output.status.code(), record)
}

fn samples<'a>(record: &'a Record, contender: &str) -> Vec<&'a Sample> {
    record.samples.iter().filter(|sample| sample.contender == contender).collect()
}

#[test]
fn a_worker_in_c_has_the_results_of_the_standard_ones() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let worker = build(&folder);
    // Odd sizes reach every way in which a tree is built: few levels, balanced ones, and levels to spare.
    for parameters in [&[][..], &["--param", "depth=9", "--param", "nodes=700"], &["--param", "depth=3"]] {
        let arguments = [&["--threads", "1", "--seed", "7", "--param", "live=50"], parameters].concat();
        let (code, record) = run(&folder, &worker, &arguments);
        assert_eq!(code, Some(0), "{:?}", record.samples);
        let row = record.contenders.iter().find(|row| row.name == "c").expect("it takes part");
        let identity = row.identity.as_ref().expect("it introduced itself");
        assert_eq!(identity.proof, "symbol", "{}", identity.proof_detail);
        let (ours, theirs) = (samples(&record, "c"), samples(&record, "system"));
        assert_eq!((ours.len(), theirs.len()), (2, 2), "one in each arrangement");
        for (our, their) in ours.into_iter().zip(theirs) {
            assert!(our.status.is_ok(), "{}", our.status);
            assert_eq!(our.arrangement, their.arrangement);
            assert_eq!((our.units, our.checksum), (their.units, their.checksum));
            assert_eq!(our.turns.checksum, their.turns.checksum);
            assert!(our.peak_reset && our.peak_rss > our.base_rss && our.minor_faults > 0, "{our:?}");
            let phases: Vec<&str> = our.memory.keys().map(String::as_str).collect();
            assert_eq!(phases, their.memory.keys().map(String::as_str).collect::<Vec<_>>());
            assert!(our.memory.values().all(|row| row.rss.is_some() && row.anonymous.is_some()), "{our:?}");
        }
        std::fs::remove_file(folder.path().join("run.jsonl")).expect("it is ours");
    }
}

#[test]
fn what_it_cannot_do_is_a_row_that_says_so() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let worker = build(&folder);
    let (code, record) = run(&folder, &worker, &["--threads", "2"]);
    assert_eq!(code, Some(1), "a failure is a failure");
    let refused = samples(&record, "c");
    assert_eq!(refused[0].status.label(), "refused", "{}", refused[0].status);
    assert!(refused[0].status.detail().contains("one thread; give --threads 1"), "{}", refused[0].status);
    assert!(samples(&record, "system").iter().all(|sample| sample.status.is_ok()));
}

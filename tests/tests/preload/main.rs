//! Libraries that replace malloc, preloaded into the worker of the system allocator: one that does takes part, and one that
//! does not is a row with the reason, never a second measurement of glibc.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use heapmark::record::{ContenderRow, Record};
use heapmark::verify::{State, Verification};
use heapmark::{Case, Comparison, Contender, Settings, Status, Worker, Workspace};

/// The worker of the system allocator, built once.
fn system() -> Worker {
    static SYSTEM: OnceLock<Worker> = OnceLock::new();
    let build = || {
        let workspace = Workspace::find().expect("the tests lie in the workspace");
        let workers = workspace.build(|name| name == "system").expect("Cargo runs");
        workers.into_iter().next().expect("there is one")
    };
    SYSTEM.get_or_init(build).clone()
}

/// Compiles one of the sources beside this file into a library of this name.
fn library(folder: &Path, source: &str, name: &str) -> PathBuf {
    let path = folder.join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/preload").join(source);
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    // Without builtins, since the compiler knows malloc and could call it from within itself.
    let options = ["-shared", "-fPIC", "-O2", "-fno-builtin", "-Wall", "-Werror", "-Wl,--build-id=sha1", "-o"];
    let status = Command::new(compiler).args(options).arg(&path).arg(source).status().expect("there is a C compiler");
    assert!(status.success(), "{name}");
    path
}

/// A run of one block with these libraries beside the system allocator.
fn run(libraries: &[(&str, &Path)]) -> Record {
    let mut contenders = vec![Contender::plain(system())];
    contenders.extend(libraries.iter().map(|(name, path)| Contender::plain(system().preloading(*name, *path))));
    let comparison = Comparison::new(contenders).settings(Settings::smoke());
    let mut session = comparison.open(&mut |_| {}).expect("the system allocator serves");
    session.measure(&Case::new("graph/tree").with("threads", 1), &mut |_| {}).expect("the case makes sense");
    session.record().clone()
}

fn row<'a>(record: &'a Record, name: &str) -> &'a ContenderRow {
    record.contenders.iter().find(|row| row.name == name).expect("everyone has a row")
}

/// How a library ended that must not take part, beside a system allocator that does.
fn refused(library: &Path) -> Status {
    let record = run(&[("broken", library)]);
    assert!(record.samples.iter().all(|s| s.contender == "broken" || s.status.is_ok()), "the others are not hurt");
    let status = row(&record, "broken").status.clone();
    assert!(!status.is_ok() && !status.to_string().contains(char::is_control), "{status}");
    let measured = record.samples.iter().filter(|sample| sample.contender == "broken");
    assert!(measured.clone().count() == 1 && measured.clone().all(|sample| sample.status == status));
    status
}

#[test]
fn a_library_that_replaces_malloc_takes_part() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let bump = library(folder.path(), "bump.c", "libbump.so.1");
    let record = run(&[("bump", &bump)]);
    let row = row(&record, "bump");
    assert!(row.status.is_ok(), "{}", row.status);
    let identity = row.identity.as_ref().expect("it greeted");
    assert_eq!(identity.proof, "symbol");
    for seen in ["malloc from libbump.so.1", "malloc_usable_size says 256", "an anonymous mapping", "glibc counts 0"] {
        assert!(identity.proof_detail.contains(seen), "{seen} in {}", identity.proof_detail);
    }
    let version = &identity.upstream_version;
    let id = version.strip_prefix("libbump.so.1, build id ").and_then(|rest| rest.split(',').next());
    assert!(id.is_some_and(|id| id.len() == 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit())), "{version}");
    assert!(identity.licence.is_empty() && identity.knobs.is_empty(), "glibc's are not the library's");
    for sample in record.samples.iter().filter(|sample| sample.contender == "bump") {
        assert!(sample.status.is_ok(), "{}", sample.status);
    }
    let (name, detail) = ("system", "malloc from libc.so.6");
    let system = record.contenders.iter().find(|row| row.name == name).and_then(|row| row.identity.as_ref());
    assert!(system.is_some_and(|system| system.proof == "api" && system.proof_detail.starts_with(detail)));
}

#[test]
fn checks_are_of_the_library_and_not_of_glibc() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let bump = library(folder.path(), "bump.c", "libbump.so.1");
    let contenders = [system(), system().preloading("bump", bump)];
    let wanted = |name: &str| ["align/page", "purge", "reuse"].contains(&name);
    let soundness = Verification::of(contenders).checks(wanted).run(&mut |_| {}).expect("both can be examined");
    let state = |contender: &str, check: &str| {
        let examined = soundness.contender(contender).expect("everyone has a row");
        assert!(examined.status.is_ok(), "{contender}: {}", examined.status);
        examined.result(check).map(|result| result.state)
    };
    assert_eq!(state("system", "reuse"), Some(State::Pass));
    assert_eq!(state("bump", "align/page"), Some(State::Pass));
    assert_eq!(state("bump", "reuse"), Some(State::Fail), "it takes nothing back");
    assert_eq!(state("system", "purge"), Some(State::Pass));
    assert_eq!(state("bump", "purge"), None, "malloc_trim is glibc's promise");
}

#[test]
fn a_path_that_the_dynamic_linker_would_split_works_through_a_link() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let odd = library(folder.path(), "bump.c", "lib bump:1.so");
    let status = refused(&odd);
    assert!(status.detail().contains("make a link to it"), "{status}");
    let link = folder.path().join("link.so");
    std::os::unix::fs::symlink(odd, &link).expect("a link in a folder of our own");
    let record = run(&[("linked", &link)]);
    let linked = row(&record, "linked");
    assert!(linked.status.is_ok(), "{}", linked.status);
}

#[test]
fn a_library_that_does_not_serve_by_itself_is_no_proof() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for (source, seen) in [
        ("nothing.c", "malloc from libc.so.6; that is not the library that was to be preloaded"),
        ("malloc_only.c", "calloc, realloc, free or posix_memalign from another"),
        ("in_front.c", "glibc counts 2"),
    ] {
        let path = library(folder.path(), source, &source.replace(".c", ".so"));
        let status = refused(&path);
        assert_eq!(status.label(), "no proof", "{source}: {status}");
        assert!(status.detail().contains(seen), "{source}: {status}");
    }
}

#[test]
fn what_cannot_be_preloaded_does_not_start() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let text = folder.path().join("text.so");
    std::fs::write(&text, "this is not a library, whatever its name says").expect("it is ours");
    let bump = library(folder.path(), "bump.c", "bump.so");
    let foreign = folder.path().join("foreign.so");
    let mut bytes = std::fs::read(&bump).expect("it was compiled");
    // The machine, of which there is none with this number (elf.h).
    (bytes[18], bytes[19]) = (0xfe, 0xfe);
    std::fs::write(&foreign, bytes).expect("it is ours");
    for (path, reason) in [
        (folder.path().join("gone.so"), "cannot preload \"gone.so\": No such file or directory"),
        (text, "cannot preload \"text.so\": it is no shared library"),
        (foreign, "cannot preload \"foreign.so\": it is built for another architecture than the worker"),
    ] {
        let status = refused(&path);
        assert_eq!(status.label(), "failed to start", "{status}");
        assert!(status.detail().contains(reason), "{status}");
    }
}

#[test]
fn a_library_that_only_looks_right_is_found_out_by_what_the_dynamic_linker_says() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let bump = library(folder.path(), "bump.c", "bump.so");
    let mut bytes = std::fs::read(&bump).expect("it was compiled");
    bytes.truncate(64);
    let torn = folder.path().join("torn.so");
    std::fs::write(&torn, bytes).expect("it is ours");
    let status = refused(&torn);
    assert_eq!(status.label(), "no proof", "{status}");
    assert!(status.detail().contains("it printed: ERROR: ld.so: object"), "{status}");
}

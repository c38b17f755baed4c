//! The workspaces apart: what they repeat of this one is the same, and their backends do the same work.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use heapmark::record::Kind;
use heapmark::{Case, Comparison, Settings, Workspace};

/// The backends that lie apart, in the order of their folders.
const APART: [&str; 7] =
    ["hardened", "hardened-light", "mimalloc-secure", "mimalloc-v2", "scudo", "tcmalloc", "tcmalloc-percpu"];

/// Those of them whose libraries are built within seconds.
const QUICK: [&str; 4] = ["hardened", "hardened-light", "mimalloc-secure", "mimalloc-v2"];

fn workspace() -> Workspace {
    Workspace::find().expect("the tests lie in the workspace")
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The folders of the workspaces apart.
fn folders() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(workspace().root().join("apart")).expect("there is such a folder");
    let paths = entries.map(|entry| entry.expect("its entries can be read").path());
    paths.filter(|path| path.join("Cargo.toml").is_file()).collect()
}

#[test]
fn every_backend_apart_must_be_named() {
    let backends = workspace().backends().expect("cargo metadata tells them");
    let (apart, ours): (Vec<_>, Vec<_>) = backends.into_iter().partition(|backend| backend.apart);
    assert_eq!(apart.iter().map(|backend| backend.name.as_str()).collect::<Vec<_>>(), APART);
    assert!(apart.iter().all(|backend| backend.opt_in));
    assert!(ours.iter().any(|backend| backend.name == "system" && !backend.opt_in));
}

/// The lines of a table of a manifest, without comments.
fn table<'a>(manifest: &'a str, header: &str) -> Vec<&'a str> {
    let lines = manifest.lines().skip_while(|line| *line != header).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

#[test]
fn manifests_apart_repeat_what_the_workspace_says() {
    let ours = text(&workspace().root().join("Cargo.toml"));
    let folders = folders();
    assert!(folders.len() >= 6, "{folders:?}");
    for folder in folders {
        let theirs = text(&folder.join("Cargo.toml"));
        for lints in ["rust", "clippy"] {
            let lines = table(&theirs, &format!("[lints.{lints}]"));
            assert_eq!(lines, table(&ours, &format!("[workspace.lints.{lints}]")), "{}", folder.display());
        }
        let package = table(&theirs, "[package]");
        for line in table(&ours, "[workspace.package]") {
            assert!(package.contains(&line), "{line} in {}", folder.display());
        }
        // The profile is in `.cargo/config.toml`, which reaches them.
        assert!(!theirs.contains("[profile"), "{} has a profile of its own", folder.display());
    }
}

/// What a lockfile says that a package needs, with versions, itself included.
fn closure(lockfile: &Path, package: &str) -> BTreeSet<(String, String)> {
    let text = text(lockfile);
    let mut packages: BTreeMap<&str, Vec<(&str, Vec<&str>)>> = BTreeMap::new();
    for block in text.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
            line.and_then(|line| line.strip_suffix('"')).unwrap_or_default()
        };
        let needs = block.lines().filter_map(|line| line.strip_prefix(" \"")?.strip_suffix("\","));
        packages.entry(value("name")).or_default().push((value("version"), needs.collect()));
    }
    let mut found = BTreeSet::new();
    let mut wanted = vec![package];
    while let Some(next) = wanted.pop() {
        // The version stands beside the name where there are several.
        let mut words = next.split(' ');
        let (name, version) = (words.next().unwrap_or_default(), words.next());
        for (known, needs) in packages.get(name).into_iter().flatten() {
            if version.is_none_or(|version| version == *known) && found.insert((name.to_owned(), (*known).to_owned())) {
                wanted.extend(needs);
            }
        }
    }
    found
}

#[test]
fn the_work_is_built_from_the_same_versions_everywhere() {
    let ours = closure(&workspace().root().join("Cargo.lock"), "heapmark-workloads");
    assert!(ours.iter().any(|(name, _)| name == "serde_json") && ours.len() > 10, "{ours:?}");
    for folder in folders() {
        let theirs = closure(&folder.join("Cargo.lock"), "heapmark-workloads");
        assert!(theirs.iter().any(|(name, _)| name == "serde_json"), "{theirs:?}");
        // What only tests need is in the lockfile of their own workspace alone.
        let others: Vec<_> = theirs.difference(&ours).collect();
        assert!(others.is_empty(), "{} has {others:?}", folder.display());
    }
}

#[test]
#[ignore = "builds several allocators, some twice: `.ci/run` does it"]
fn backends_apart_do_the_same_work_and_say_truly_who_they_are() {
    let mut workers = workspace().build(|name| name == "system" || QUICK.contains(&name)).expect("Cargo runs");
    assert_eq!(workers.len(), 1 + QUICK.len());
    workers.sort_by_key(|worker| worker.name != "system");
    let mut session =
        Comparison::of(workers).settings(Settings::smoke()).open(&mut |_| {}).expect("they introduce themselves");
    for case in ["graph/tree", "json/lotofobjects"] {
        session.measure(&Case::new(case), &mut |_| {}).expect("the case makes sense");
    }
    let record = session.record();
    for sample in record.cases.iter().flat_map(|row| record.samples_of(&row.case)) {
        assert!(sample.status.is_ok(), "{}: {}", sample.contender, sample.status);
    }
    for name in QUICK {
        let row = record.contenders.iter().find(|row| row.name == name).expect("it has a row");
        let identity = row.identity.as_ref().unwrap_or_else(|| panic!("{name}: {}", row.status));
        assert_eq!((identity.kind, identity.proof.as_str()), (Kind::Allocator, "api"), "{name}");
        let lockfile = workspace().root().join("apart").join(name).join("Cargo.lock");
        let locked = closure(&lockfile, &identity.crate_name);
        assert!(locked.contains(&(identity.crate_name.clone(), identity.crate_version.clone())), "{name}: {locked:?}");
        let version = match name {
            "mimalloc-v2" => "mimalloc 2.",
            "mimalloc-secure" => "(secure ",
            _ => "hardened_malloc of ",
        };
        assert!(identity.upstream_version.contains(version), "{name}: {}", identity.upstream_version);
    }
}

//! What a wrapper does not forward, Rust does in its place: zeroed memory is taken and written, a block is resized by taking
//! another and copying. Backends state what theirs forwards; here it is read from the source of the very type that serves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use heapmark::Workspace;
use serde_json::Value;

const METHODS: [&str; 4] = ["alloc", "dealloc", "realloc", "alloc_zeroed"];

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The packages of the workspace as Cargo resolves them, and what each depends on, by their ids.
struct Packages {
    manifests: BTreeMap<String, PathBuf>,
    needs: BTreeMap<String, Vec<String>>,
}

impl Packages {
    fn of(root: &Path) -> Self {
        let cargo = std::env::var_os("CARGO").expect("Cargo runs the tests");
        let output = Command::new(cargo)
            .args(["metadata", "--format-version", "1", "--locked"])
            .current_dir(root)
            .output()
            .expect("Cargo runs");
        let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
        let list = |value: &Value| value.as_array().expect("a list").clone();
        let word = |value: &Value| value.as_str().expect("a word").to_owned();
        let manifests =
            list(&metadata["packages"]).iter().map(|p| (word(&p["id"]), word(&p["manifest_path"]).into())).collect();
        let needs = list(&metadata["resolve"]["nodes"]);
        let needs =
            needs.iter().map(|n| (word(&n["id"]), list(&n["dependencies"]).iter().map(word).collect())).collect();
        Self { manifests, needs }
    }

    /// The folders of a package, of what it needs, and of what that needs; those of the workspace itself left out, but for its own.
    fn folders(&self, manifest: &Path, root: &Path) -> Vec<PathBuf> {
        let first = self.manifests.iter().find(|(_, path)| *path == manifest).map(|(id, _)| id);
        let mut found = vec![first.expect("every backend is a package").clone()];
        for _ in 0..2 {
            let more: Vec<String> = found.iter().flat_map(|id| self.needs[id].iter().cloned()).collect();
            found.extend(more.into_iter().filter(|id| !self.manifests[id].starts_with(root)));
        }
        let folder = |id: &String| self.manifests[id].parent().expect("a manifest lies in a folder").to_owned();
        found.iter().map(folder).collect()
    }
}

/// Every source file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files = Vec::new();
    for path in entries.map(|entry| entry.expect("its entries can be read").path()) {
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// What stands between the quotes behind `key` in a source file.
fn quoted<'a>(source: &'a str, key: &str) -> Option<&'a str> {
    source.split_once(key)?.1.split_once('"')?.1.split_once('"').map(|(value, _)| value)
}

/// The methods in `impl GlobalAlloc for TYPE`, up to the brace that ends it at the margin.
fn implemented(source: &str, type_name: &str) -> Option<BTreeSet<&'static str>> {
    let begins = |line: &str| {
        let rest = line.strip_prefix("unsafe impl").and_then(|rest| rest.split_once("GlobalAlloc for "));
        rest.is_some_and(|(_, rest)| {
            rest.strip_prefix(type_name)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    };
    let mut lines = source.lines().skip_while(|line| !begins(line));
    lines.next()?;
    let body: Vec<&str> = lines.take_while(|line| *line != "}").collect();
    let has = |method: &&str| body.iter().any(|line| line.contains(&format!("unsafe fn {method}(")));
    Some(METHODS.into_iter().filter(has).collect())
}

/// The type that a worker names as its allocator, without path and parameters.
fn type_of(main: &str) -> &str {
    let (_, rest) = main.split_once("worker!(").expect("a worker is made by the macro");
    let path = rest.trim_start().split([' ', '<']).next().unwrap_or_default();
    path.rsplit("::").next().unwrap_or_default()
}

#[test]
fn every_wrapper_forwards_what_its_backend_says() {
    let workspace = Workspace::find().expect("the tests lie in the workspace");
    let root = workspace.root();
    let packages = Packages::of(root);
    let mut seen = Vec::new();
    let backends = std::fs::read_dir(root.join("allocators")).expect("there is such a folder");
    for folder in backends.map(|entry| entry.expect("its entries can be read").path()).filter(|path| path.is_dir()) {
        let name = folder.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        let type_name = type_of(&text(&folder.join("src/main.rs"))).to_owned();
        if type_name == "System" {
            // The standard library's, whose source need not be there.
            continue;
        }
        let identity = text(&folder.join("src/identity.rs"));
        let stated: BTreeSet<&str> = quoted(&identity, "forwards:").unwrap_or_default().split(',').collect();
        let files = packages.folders(&folder.join("Cargo.toml"), root);
        let files = files.iter().flat_map(|folder| sources(&folder.join("src")));
        let found: Vec<_> = files.filter_map(|file| implemented(&text(&file), &type_name)).collect();
        assert!(!found.is_empty(), "{name}: no source implements GlobalAlloc for {type_name}");
        for found in found {
            assert_eq!(found, stated, "{name} states what {type_name} does not do, or not all that it does");
        }
        seen.push(name);
    }
    for name in ["mimalloc", "jemalloc", "snmalloc", "counting"] {
        assert!(seen.iter().any(|seen| seen == name), "{name} is not among {seen:?}");
    }
}

#[test]
fn methods_are_read_from_the_implementation_of_that_type_only() {
    let source = "unsafe impl<A: B> GlobalAlloc for Wrap<A> {\n    #[inline]\n    unsafe fn alloc(&self) {}\n    unsafe fn alloc_zeroed(&self) {}\n}\n\
                  unsafe impl GlobalAlloc for Wrapped {\n    unsafe fn realloc(&self) {}\n}\n";
    assert_eq!(implemented(source, "Wrap"), Some(BTreeSet::from(["alloc", "alloc_zeroed"])));
    assert_eq!(implemented(source, "Wrapped"), Some(BTreeSet::from(["realloc"])));
    assert_eq!(implemented(source, "Wra"), None);
    assert_eq!(type_of("x::worker!(\n    a::b::Counted<c::System> = y, z);"), "Counted");
    assert_eq!(type_of("worker!(Tlsf = Tlsf, I, C);"), "Tlsf");
}

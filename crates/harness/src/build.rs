//! Builds the workers, so that what is measured is what is on disk. A no-op when everything is fresh.
//!
//! Workers are found by what Cargo reports, never by a guessed path.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Error, Worker};

/// What a worker's program is called, before the backend's name.
pub const WORKER_PREFIX: &str = "heapmark-worker-";

/// A Cargo workspace (or a lone package) with workers in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    root: PathBuf,
}

/// A backend that can be built, as far as that is known without building it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backend {
    /// Its name, such as `jemalloc`.
    pub name: String,
    /// Whether it takes part only where it is named: `opt-in = true` in the table `[package.metadata.heapmark]` of its package.
    pub opt_in: bool,
}

/// A program that Cargo can build and that is a worker by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) package: String,
    program: String,
    /// Whether it is one of the workspace's own backends, and not a worker that some other package brings along.
    pub(crate) standard: bool,
    /// Whether its package says so.
    pub(crate) opt_in: bool,
}

impl Target {
    /// The name of the worker.
    pub(crate) fn backend(&self) -> &str {
        self.program.strip_prefix(WORKER_PREFIX).unwrap_or(&self.program)
    }
}

impl Workspace {
    /// The workspace rooted at this folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The heapmark checkout around the current folder, else the one that this program was built from: for tools that need
    /// its sources. What a run takes its workers from is told by [`Surroundings`](crate::Surroundings).
    pub fn find() -> Option<Self> {
        let here = std::env::current_dir().ok();
        here.as_deref().and_then(Self::around).or_else(Self::built_from)
    }

    /// The heapmark checkout that a folder lies in. It is known by the table `[workspace.metadata.heapmark]` in its
    /// `Cargo.toml`.
    pub fn around(folder: &Path) -> Option<Self> {
        nearest(folder, "[workspace.metadata.heapmark]")
    }

    /// The checkout that this program was built from, if it is still there.
    pub(crate) fn built_from() -> Option<Self> {
        Self::around(Path::new(env!("CARGO_MANIFEST_DIR")))
    }

    /// The package around a folder that says by a table in its `Cargo.toml` that it has workers.
    pub(crate) fn package_around(folder: &Path) -> Option<Self> {
        nearest(folder, "[package.metadata.heapmark]")
    }

    /// Where it lies.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that Cargo builds into.
    pub fn target_folder(&self) -> Result<PathBuf, Error> {
        let metadata = self.metadata()?;
        let folder = metadata["target_directory"].as_str();
        folder.map(PathBuf::from).ok_or_else(|| Error::Build("cargo metadata names no target folder".into()))
    }

    /// The standard backends, in Cargo's order; nothing is built.
    pub fn backends(&self) -> Result<Vec<Backend>, Error> {
        let targets = self.targets()?.into_iter().filter(|target| target.standard);
        Ok(targets.map(|target| Backend { name: target.backend().to_owned(), opt_in: target.opt_in }).collect())
    }

    /// Builds the standard workers in release mode and says where they are. One that cannot be built is listed with the
    /// reason, and hurts no other. `wanted` picks backends by name; building fewer saves time.
    ///
    /// The standard workers are those below the folder that the workspace names as `workers` in its table
    /// `[workspace.metadata.heapmark]`; without such a table, all there are.
    ///
    /// Cargo's own progress goes to standard error. Fails if Cargo itself cannot be run or understood.
    pub fn build(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<Worker>, Error> {
        let targets = self.targets()?.into_iter().filter(|target| target.standard && wanted(target.backend()));
        self.build_targets(targets.collect())
    }

    /// Builds the workers of one package, wherever in the workspace it lies: for workloads and backends that are not among
    /// the standard ones. Otherwise like [`Workspace::build`]; fails too if the package has no worker.
    pub fn build_package(&self, package: &str) -> Result<Vec<Worker>, Error> {
        let targets: Vec<_> = self.targets()?.into_iter().filter(|target| target.package == package).collect();
        if targets.is_empty() {
            let root = self.root.display();
            return Err(Error::Usage(format!("no package {package:?} in {root} has a program {WORKER_PREFIX}NAME")));
        }
        self.build_targets(targets)
    }

    /// Builds these programs, of this workspace.
    pub(crate) fn build_targets(&self, targets: Vec<Target>) -> Result<Vec<Worker>, Error> {
        if targets.is_empty() {
            return Ok(Vec::new());
        }
        let output = self
            .cargo(&targets)
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| Error::Build(format!("cannot run cargo build: {error}; is Cargo installed?")))?;
        // An interrupt reaches it too. It did not fail, and to ask it why would be to begin again.
        if let Some(signal) = output.status.signal() {
            return Err(Error::Build(format!("cargo build was ended by signal {signal}")));
        }
        let programs = executables(&output.stdout);
        let worker = |target: Target| {
            let built = programs.iter().find(|(name, _)| *name == target.program);
            let program = built.map(|(_, path)| path.clone()).ok_or_else(|| self.why_not(&target));
            Worker { name: target.backend().to_owned(), program, preload: None }
        };
        Ok(targets.into_iter().map(worker).collect())
    }

    /// Why one worker cannot be built: builds it alone and keeps what Cargo says.
    fn why_not(&self, target: &Target) -> String {
        let output = self.cargo(std::slice::from_ref(target)).stderr(Stdio::piped()).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stderr).into_owned()).unwrap_or_default();
        let errors: Vec<&str> = text.lines().filter(|line| line.starts_with("error")).collect();
        let first = errors.first().copied().unwrap_or("cargo gave no reason");
        format!("{first} (see `cargo build --release -p {}`)", target.package)
    }

    /// `cargo build` for these targets, from the root, with the flags that native libraries need.
    fn cargo(&self, targets: &[Target]) -> Command {
        let mut cargo = Command::new(cargo_program());
        cargo.current_dir(&self.root).args(["build", "--release", "--keep-going"]);
        cargo.arg("--message-format=json-render-diagnostics");
        for target in targets {
            cargo.args(["-p", &target.package, "--bin", &target.program]);
        }
        for variable in NATIVE_FLAGS {
            cargo.env(variable, with_ndebug(std::env::var_os(variable)));
        }
        cargo.stdin(Stdio::null());
        cargo
    }

    fn targets(&self) -> Result<Vec<Target>, Error> {
        Ok(workers_in(&self.metadata()?))
    }

    pub(crate) fn metadata(&self) -> Result<serde_json::Value, Error> {
        let output = Command::new(cargo_program())
            .current_dir(&self.root)
            .args(["metadata", "--no-deps", "--format-version=1"])
            .output()
            .map_err(|error| Error::Build(format!("cannot run cargo metadata: {error}; is Cargo installed?")))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let reason = said.split_whitespace().collect::<Vec<_>>().join(" ");
            return Err(Error::Build(format!("cargo metadata fails in {}: {reason}", self.root.display())));
        }
        serde_json::from_slice(&output.stdout)
            .map_err(|error| Error::Build(format!("cargo metadata answered what is not JSON: {error}")))
    }
}

/// The nearest folder, from this one upwards, whose `Cargo.toml` has this table.
fn nearest(folder: &Path, table: &str) -> Option<Workspace> {
    let has_it = |folder: &&Path| {
        std::fs::read_to_string(folder.join("Cargo.toml"))
            .is_ok_and(|manifest| manifest.lines().any(|line| line.trim() == table))
    };
    folder.ancestors().find(has_it).map(Workspace::at)
}

/// The workers in what `cargo metadata` says.
pub(crate) fn workers_in(metadata: &serde_json::Value) -> Vec<Target> {
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let folder = metadata["metadata"]["heapmark"]["workers"].as_str();
    let folder = folder.zip(metadata["workspace_root"].as_str()).map(|(folder, root)| Path::new(root).join(folder));
    let mut targets = Vec::new();
    for package in list(&metadata["packages"]) {
        let name = package["name"].as_str().unwrap_or_default();
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let standard = folder.as_deref().is_none_or(|folder| manifest.starts_with(folder));
        let opt_in = package["metadata"]["heapmark"]["opt-in"].as_bool().unwrap_or_default();
        for target in list(&package["targets"]) {
            let program = target["name"].as_str().unwrap_or_default();
            let is_program = list(&target["kind"]).iter().any(|kind| kind == "bin");
            if is_program && program.starts_with(WORKER_PREFIX) {
                targets.push(Target { package: name.to_owned(), program: program.to_owned(), standard, opt_in });
            }
        }
    }
    targets
}

/// Cargo as the surrounding Cargo names itself, else whichever is on the path.
fn cargo_program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Variables that the `cc` crate adds to `CXXFLAGS`: the first when building for this machine, the second for another.
const NATIVE_FLAGS: [&str; 2] = ["HOST_CXXFLAGS", "TARGET_CXXFLAGS"];

/// Flags with which snmalloc's build is a release one: without `NDEBUG` its assertions stay. The same that this
/// workspace's `.cargo/config.toml` sets, which does not reach a build from elsewhere, or with flags of the user's own.
fn with_ndebug(flags: Option<OsString>) -> OsString {
    const NDEBUG: &str = "-DNDEBUG";
    match flags {
        Some(flags) if flags.to_string_lossy().split(' ').any(|flag| flag == NDEBUG) => flags,
        Some(mut flags) if !flags.is_empty() => {
            flags.push(" ");
            flags.push(NDEBUG);
            flags
        }
        _ => NDEBUG.into(),
    }
}

/// Names and paths of the programs in Cargo's JSON messages. Lines that are not messages are passed over: build scripts
/// can print anything.
fn executables(messages: &[u8]) -> Vec<(String, PathBuf)> {
    let messages = messages.split(|&byte| byte == b'\n');
    let values = messages.filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok());
    values
        .filter_map(|message| {
            let path = message["executable"].as_str()?;
            Some((message["target"]["name"].as_str()?.to_owned(), PathBuf::from(path)))
        })
        .collect()
}

/// The workers that lie beside the running program or on `PATH`: how an installed heapmark finds them.
///
/// Beside a program in a folder that Cargo builds into there may be workers of long ago, so these do not count.
pub fn installed() -> Vec<Worker> {
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent).filter(|folder| !is_built_into(folder)).map(Path::to_owned);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = beside.into_iter().chain(std::env::split_paths(&path));
    let mut workers: Vec<Worker> = Vec::new();
    for entry in folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten() {
        let file_name = entry.file_name();
        let Some(backend) = file_name.to_str().and_then(|name| name.strip_prefix(WORKER_PREFIX)) else { continue };
        // A dot marks what Cargo leaves beside its programs (`.d`, `.dwp`).
        let usable = !backend.is_empty() && !backend.contains('.') && entry.path().is_file();
        if usable && workers.iter().all(|worker| worker.name != backend) {
            workers.push(Worker::at(backend, entry.path()));
        }
    }
    workers.sort_by(|a, b| a.name.cmp(&b.name));
    workers
}

/// Whether Cargo builds into this folder: it marks the folder of all builds, which is at most two above that of a profile.
fn is_built_into(folder: &Path) -> bool {
    folder.ancestors().take(3).any(|folder| folder.join("CACHEDIR.TAG").is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_has_built_is_not_installed() {
        let program = std::env::current_exe().expect("this program is somewhere");
        assert!(is_built_into(program.parent().and_then(Path::parent).expect("a folder of Cargo's")));
        let elsewhere = tempfile::tempdir().expect("a folder for temporary files");
        assert!(!is_built_into(elsewhere.path()));
    }

    #[test]
    fn flags_gain_ndebug_once() {
        for (given, expected) in [
            (None, "-DNDEBUG"),
            (Some(""), "-DNDEBUG"),
            (Some("-O2"), "-O2 -DNDEBUG"),
            (Some("-DNDEBUG -g"), "-DNDEBUG -g"),
        ] {
            assert_eq!(with_ndebug(given.map(Into::into)), expected);
        }
    }

    #[test]
    fn standard_workers_lie_where_the_workspace_says() {
        let package = |name: &str, folder: &str| {
            let targets = [
                serde_json::json!({"name": format!("heapmark-worker-{name}"), "kind": ["bin"]}),
                serde_json::json!({"name": format!("heapmark_{name}"), "kind": ["lib"]}),
                serde_json::json!({"name": "heapmark-worker-test", "kind": ["test"]}),
            ];
            serde_json::json!({"name": name, "manifest_path": format!("/w/{folder}/Cargo.toml"), "targets": targets})
        };
        let mut metadata = serde_json::json!({
            "workspace_root": "/w",
            "packages": [package("system", "allocators/system"), package("words", "allocators-of-mine/words")],
            "metadata": {"heapmark": {"workers": "allocators"}},
        });
        let standard = |metadata: &serde_json::Value| -> Vec<(String, bool)> {
            workers_in(metadata).into_iter().map(|target| (target.backend().to_owned(), target.standard)).collect()
        };
        assert_eq!(standard(&metadata), [("system".to_owned(), true), ("words".to_owned(), false)]);
        metadata["metadata"] = serde_json::Value::Null;
        let found_elsewhere = standard(&metadata);
        assert!(found_elsewhere.iter().all(|(_, standard)| *standard), "{found_elsewhere:?}");
    }

    #[test]
    fn whoever_is_to_be_named_says_so_in_its_manifest() {
        let package = |name: &str, metadata: serde_json::Value| {
            let targets = [serde_json::json!({"name": format!("heapmark-worker-{name}"), "kind": ["bin"]})];
            serde_json::json!({"name": name, "manifest_path": "/w/Cargo.toml", "targets": targets, "metadata": metadata})
        };
        let packages = [
            package("silent", serde_json::Value::Null),
            package("other-table", serde_json::json!({"docs": {"opt-in": true}})),
            package("in", serde_json::json!({"heapmark": {"opt-in": false}})),
            package("out", serde_json::json!({"heapmark": {"opt-in": true}})),
        ];
        let targets = workers_in(&serde_json::json!({"workspace_root": "/w", "packages": packages}));
        let opt_in: Vec<bool> = targets.iter().map(|target| target.opt_in).collect();
        assert_eq!(opt_in, [false, false, false, true]);
    }

    #[test]
    fn programs_are_read_from_cargos_messages() {
        let messages = br#"{"reason":"compiler-artifact","target":{"name":"heapmark_worker"},"executable":null}
a build script said this
{"reason":"compiler-artifact","target":{"name":"heapmark-worker-system"},"executable":"t/release/heapmark-worker-system"}
{"reason":"build-finished","success":true}
"#;
        let expected = vec![("heapmark-worker-system".to_owned(), PathBuf::from("t/release/heapmark-worker-system"))];
        assert_eq!(executables(messages), expected);
    }
}

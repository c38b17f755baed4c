//! Builds the workers, so that what is measured is what is on disk. A no-op when everything is fresh.
//!
//! Workers are found by what Cargo reports, never by a guessed path. Most are packages of one workspace. Some lie apart, each in
//! a workspace of its own: Cargo unifies the features of a library over a workspace, so that two builds of one native library
//! would become the same there. And a family of workloads can have workers of its own, that link what the standard ones need not.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Error, Worker};

/// What a worker's program is called, before the backend's name.
pub const WORKER_PREFIX: &str = "heapmark-worker-";

/// What a worker's program is called, before the backend's name: that of the standard workloads, or that of a family with workers
/// of its own.
pub(crate) fn prefix(family: Option<&str>) -> String {
    family.map_or_else(|| WORKER_PREFIX.to_owned(), |family| format!("heapmark-{family}-"))
}

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
    /// Whether it takes part only where it is named: `opt-in = true` in the table `[package.metadata.heapmark]` of its package,
    /// and all that lie apart.
    pub opt_in: bool,
    /// Whether it lies apart from the workspace, and is built by an invocation of Cargo of its own.
    pub apart: bool,
}

/// A program that Cargo can build and that is a worker by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) package: String,
    program: String,
    backend: String,
    /// Whether it is one of the workspace's own backends, and not a worker that some other package brings along.
    pub(crate) standard: bool,
    /// Whether its package says so.
    pub(crate) opt_in: bool,
    /// The folder of the workspace that lies apart; none for the workspace itself.
    apart: Option<PathBuf>,
    /// Why Cargo need not even be asked to build it.
    unusable: Option<String>,
}

impl Target {
    /// A program of a package of the workspace, for a backend of this name.
    fn of(package: &str, program: &str, backend: &str) -> Self {
        let [package, program, backend] = [package, program, backend].map(str::to_owned);
        Self { package, program, backend, standard: true, opt_in: false, apart: None, unusable: None }
    }

    /// The name of the worker.
    pub(crate) fn backend(&self) -> &str {
        &self.backend
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

    /// The standard backends, in Cargo's order, then those that lie apart; nothing is built.
    pub fn backends(&self) -> Result<Vec<Backend>, Error> {
        let backend = |target: Target| {
            let apart = target.apart.is_some();
            Backend { name: target.backend().to_owned(), opt_in: target.opt_in || apart, apart }
        };
        Ok(self.targets(None)?.into_iter().filter(|target| target.standard).map(backend).collect())
    }

    /// The families of workloads that have workers of their own, by name: the tables `[workspace.metadata.heapmark.families.NAME]`
    /// of the workspace. `workers` is the folder that the workers lie below, whose programs are called `heapmark-NAME-BACKEND`; and
    /// `needs` names the packages, with a program of the same name each, that have to be built beside them.
    pub fn families(&self) -> Result<Vec<String>, Error> {
        Ok(families_in(&self.metadata()?))
    }

    /// The backends of a family with workers of its own.
    pub(crate) fn backends_of(&self, family: &str) -> Result<Vec<Backend>, Error> {
        let targets = self.targets(Some(family))?.into_iter().filter(|target| target.standard);
        Ok(targets.map(|target| Backend { name: target.backend, opt_in: target.opt_in, apart: false }).collect())
    }

    /// Builds the workers of a family that has its own, like [`Workspace::build`], with the programs that they need beside them.
    pub fn build_family(&self, family: &str, wanted: impl Fn(&str) -> bool) -> Result<Vec<Worker>, Error> {
        let mut targets = self.targets(Some(family))?;
        targets.retain(|target| target.standard && wanted(target.backend()));
        self.build_targets(&targets, Some(family))
    }

    /// Builds the standard workers in release mode and says where they are. One that cannot be built is listed with the
    /// reason, and hurts no other. `wanted` picks backends by name; building fewer saves time.
    ///
    /// The standard workers are those below the folder that the workspace names as `workers` in its table
    /// `[workspace.metadata.heapmark]`; without such a table, all there are. Each folder below the one that it names as `apart` is
    /// a workspace of its own, with a lockfile, whose workers are standard ones too.
    ///
    /// Cargo's own progress goes to standard error. Fails if Cargo itself cannot be run or understood.
    pub fn build(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<Worker>, Error> {
        let mut targets = self.targets(None)?;
        targets.retain(|target| target.standard && wanted(target.backend()));
        self.build_targets(&targets, None)
    }

    /// Builds the workers of one package, wherever in the workspace it lies: for workloads and backends that are not among
    /// the standard ones. Otherwise like [`Workspace::build`]; fails too if the package has no worker.
    pub fn build_package(&self, package: &str) -> Result<Vec<Worker>, Error> {
        let mut targets = self.targets(None)?;
        targets.retain(|target| target.package == package);
        if targets.is_empty() {
            let root = self.root.display();
            return Err(Error::Usage(format!("no package {package:?} in {root} has a program {WORKER_PREFIX}NAME")));
        }
        self.build_targets(&targets, None)
    }

    /// Builds these programs with one invocation of Cargo for each workspace: one cannot name packages of several. Those of a family
    /// are built with the programs that they need.
    pub(crate) fn build_targets(&self, targets: &[Target], family: Option<&str>) -> Result<Vec<Worker>, Error> {
        let target_folder =
            if targets.iter().any(|target| target.apart.is_some()) { Some(self.target_folder()?) } else { None };
        let needs = family.map_or_else(|| Ok(Vec::new()), |family| Ok(needs_in(&self.metadata()?, family)))?;
        let mut workers = Vec::new();
        for together in targets.chunk_by(|a, b| a.apart == b.apart) {
            workers.extend(self.build_together(together, &needs, target_folder.as_deref())?);
        }
        Ok(workers)
    }

    /// Builds targets of one workspace, and what all of them need.
    fn build_together(
        &self,
        targets: &[Target],
        needs: &[Target],
        target_folder: Option<&Path>,
    ) -> Result<Vec<Worker>, Error> {
        let usable: Vec<_> = targets.iter().filter(|target| target.unusable.is_none()).collect();
        let all: Vec<_> = usable.iter().copied().chain(needs).cloned().collect();
        let programs = if usable.is_empty() { Vec::new() } else { self.run_cargo(&all, target_folder)? };
        let built = |target: &Target| {
            let path = programs.iter().find(|(name, _)| *name == target.program).map(|(_, path)| path.clone());
            path.ok_or_else(|| target.unusable.clone().unwrap_or_else(|| self.why_not(target, target_folder)))
        };
        let lacking = if usable.is_empty() { None } else { needs.iter().find_map(|need| built(need).err()) };
        let worker = |target: &Target| {
            let program = lacking.clone().map_or_else(|| built(target), Err);
            Worker { name: target.backend().to_owned(), program, preload: None }
        };
        Ok(targets.iter().map(worker).collect())
    }

    /// Names and paths of what Cargo could build.
    fn run_cargo(&self, targets: &[Target], target_folder: Option<&Path>) -> Result<Vec<(String, PathBuf)>, Error> {
        let output = self
            .cargo(targets, target_folder)
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| Error::Build(format!("cannot run cargo build: {error}; is Cargo installed?")))?;
        // An interrupt reaches it too. It did not fail, and to ask it why would be to begin again.
        if let Some(signal) = output.status.signal() {
            return Err(Error::Build(format!("cargo build was ended by signal {signal}")));
        }
        Ok(executables(&output.stdout))
    }

    /// Why one worker cannot be built: builds it alone and keeps what Cargo says.
    fn why_not(&self, target: &Target, target_folder: Option<&Path>) -> String {
        let output = self.cargo(std::slice::from_ref(target), target_folder).stderr(Stdio::piped()).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stderr).into_owned()).unwrap_or_default();
        let errors: Vec<&str> = text.lines().filter(|line| line.starts_with("error")).collect();
        let first = self.without_root(errors.first().copied().unwrap_or("cargo gave no reason"));
        match &target.apart {
            None => format!("{first} (see `cargo build --release -p {}`)", target.package),
            Some(folder) => {
                let folder = self.without_root(&folder.display().to_string());
                format!("{first} (see `cargo build --release --locked` in {folder})")
            }
        }
    }

    /// Text of Cargo's with paths from the root on: records are shared between machines.
    fn without_root(&self, text: &str) -> String {
        let root = std::path::absolute(&self.root).unwrap_or_else(|_| self.root.clone());
        text.replace(&format!("{}/", root.display()), "")
    }

    /// `cargo build` for targets of one workspace, from its root, with the flags that native libraries need.
    ///
    /// From its root, since that is where Cargo looks for its configuration. A workspace that lies apart builds into the folder
    /// of the others, to share what they have in common, and by its own lockfile as it is: nobody else would look after that.
    fn cargo(&self, targets: &[Target], target_folder: Option<&Path>) -> Command {
        let mut cargo = Command::new(cargo_program());
        let apart = targets.first().and_then(|target| target.apart.as_deref());
        cargo.current_dir(apart.unwrap_or(&self.root)).args(["build", "--release", "--keep-going"]);
        cargo.arg("--message-format=json-render-diagnostics");
        if apart.is_some() {
            cargo.arg("--locked");
            if let Some(folder) = target_folder {
                cargo.arg("--target-dir").arg(folder);
            }
        }
        for target in targets {
            cargo.args(["-p", &target.package, "--bin", &target.program]);
        }
        for variable in NATIVE_FLAGS {
            cargo.env(variable, with_ndebug(std::env::var_os(variable)));
        }
        cargo.stdin(Stdio::null());
        cargo
    }

    /// The workers of the workspace, then those that lie apart; or those of a family that has its own.
    fn targets(&self, family: Option<&str>) -> Result<Vec<Target>, Error> {
        let ours = self.metadata()?;
        if family.is_some() {
            return Ok(workers_in(&ours, family));
        }
        let apart = folder_named("apart", &ours).map(|folder| packages_below(&folder)).unwrap_or_default();
        let mut targets = workers_in(&ours, None);
        targets.extend(apart.iter().flat_map(|folder| self.workers_apart(folder)));
        Ok(targets)
    }

    /// What `cargo metadata` says of it, without its dependencies.
    pub(crate) fn metadata(&self) -> Result<serde_json::Value, Error> {
        metadata(&self.root).map_err(Error::Build)
    }

    /// The workers of the workspace in this folder. One that Cargo does not understand, or that has no worker, has the
    /// folder's name and is never built: it must hurt no other.
    fn workers_apart(&self, folder: &Path) -> Vec<Target> {
        let found = metadata(folder).map(|metadata| workers_in(&metadata, None));
        let unusable = match found {
            Ok(targets) if !targets.is_empty() => {
                let apart = |target| Target { apart: Some(folder.to_path_buf()), ..target };
                return targets.into_iter().map(apart).collect();
            }
            Ok(_) => format!("its package has no program {WORKER_PREFIX}NAME"),
            Err(reason) => self.without_root(&reason),
        };
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        vec![Target {
            package: String::new(),
            program: format!("{WORKER_PREFIX}{name}"),
            backend: name.into_owned(),
            standard: true,
            opt_in: true,
            apart: Some(folder.to_path_buf()),
            unusable: Some(unusable),
        }]
    }
}

/// What `cargo metadata` says of the workspace in this folder; else why it says nothing.
fn metadata(folder: &Path) -> Result<serde_json::Value, String> {
    let output = Command::new(cargo_program())
        .current_dir(folder)
        .args(["metadata", "--no-deps", "--format-version=1"])
        .output()
        .map_err(|error| format!("cannot run cargo metadata: {error}; is Cargo installed?"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let reason = said.split_whitespace().collect::<Vec<_>>().join(" ");
        return Err(format!("cargo metadata fails in {}: {reason}", folder.display()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata answered what is not JSON: {error}"))
}

/// The folder that the table `[workspace.metadata.heapmark]` has under this key.
fn folder_named(key: &str, metadata: &serde_json::Value) -> Option<PathBuf> {
    let root = Path::new(metadata["workspace_root"].as_str()?);
    metadata["metadata"]["heapmark"][key].as_str().map(|folder| root.join(folder))
}

/// The families in what `cargo metadata` says.
fn families_in(metadata: &serde_json::Value) -> Vec<String> {
    let families = metadata["metadata"]["heapmark"]["families"].as_object();
    families.into_iter().flat_map(|families| families.keys().cloned()).collect()
}

/// The folder that the workers lie below: the standard ones, or those of a family.
fn workers_folder(metadata: &serde_json::Value, family: Option<&str>) -> Option<PathBuf> {
    let Some(family) = family else { return folder_named("workers", metadata) };
    let root = Path::new(metadata["workspace_root"].as_str()?);
    metadata["metadata"]["heapmark"]["families"][family]["workers"].as_str().map(|folder| root.join(folder))
}

/// The programs that have to be built beside the workers of a family.
fn needs_in(metadata: &serde_json::Value, family: &str) -> Vec<Target> {
    let needs = metadata["metadata"]["heapmark"]["families"][family]["needs"].as_array();
    let names = needs.into_iter().flatten().filter_map(|name| name.as_str());
    names.map(|name| Target::of(name, name, name)).collect()
}

/// The folders right below this one that hold a package, by name. None where there is no such folder.
fn packages_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<_> =
        entries.map(|entry| entry.path()).filter(|path| path.join("Cargo.toml").is_file()).collect();
    folders.sort();
    folders
}

/// The nearest folder, from this one upwards, whose `Cargo.toml` has this table.
fn nearest(folder: &Path, table: &str) -> Option<Workspace> {
    let has_it = |folder: &&Path| {
        std::fs::read_to_string(folder.join("Cargo.toml"))
            .is_ok_and(|manifest| manifest.lines().any(|line| line.trim() == table))
    };
    folder.ancestors().find(has_it).map(Workspace::at)
}

/// The workers in what `cargo metadata` says: those of the standard workloads, or of a family that has its own.
pub(crate) fn workers_in(metadata: &serde_json::Value, family: Option<&str>) -> Vec<Target> {
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let folder = workers_folder(metadata, family);
    let prefix = prefix(family);
    let mut targets = Vec::new();
    for package in list(&metadata["packages"]) {
        let name = package["name"].as_str().unwrap_or_default();
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let standard = folder.as_deref().is_none_or(|folder| manifest.starts_with(folder));
        let opt_in = package["metadata"]["heapmark"]["opt-in"].as_bool().unwrap_or_default();
        for target in list(&package["targets"]) {
            let program = target["name"].as_str().unwrap_or_default();
            let is_program = list(&target["kind"]).iter().any(|kind| kind == "bin");
            if let Some(backend) = program.strip_prefix(&prefix).filter(|_| is_program) {
                targets.push(Target { standard, opt_in, ..Target::of(name, program, backend) });
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
    installed_for(None)
}

/// Those of the standard workloads, or of a family that has its own.
pub(crate) fn installed_for(family: Option<&str>) -> Vec<Worker> {
    let prefix = prefix(family);
    let mut workers: Vec<Worker> = Vec::new();
    for program in installed_programs() {
        let name = program.file_name().and_then(|name| name.to_str());
        let Some(backend) = name.and_then(|name| name.strip_prefix(&prefix)) else { continue };
        // A dot marks what Cargo leaves beside its programs (`.d`, `.dwp`).
        let usable = !backend.is_empty() && !backend.contains('.') && program.is_file();
        if usable && workers.iter().all(|worker| worker.name != backend) {
            workers.push(Worker::at(backend, program.clone()));
        }
    }
    workers.sort_by(|a, b| a.name.cmp(&b.name));
    workers
}

/// The families with workers of their own of which the system allocator's is installed.
pub(crate) fn installed_families() -> Vec<String> {
    let name = |program: PathBuf| program.file_name().and_then(|name| Some(name.to_str()?.to_owned()));
    let names = installed_programs().into_iter().filter_map(name);
    let family = |name: String| Some(name.strip_prefix("heapmark-")?.strip_suffix("-system")?.to_owned());
    let mut families: Vec<String> = names.filter_map(family).filter(|family| family != "worker").collect();
    families.sort();
    families.dedup();
    families
}

/// Everything that lies beside the running program or on `PATH`.
fn installed_programs() -> Vec<PathBuf> {
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent).filter(|folder| !is_built_into(folder)).map(Path::to_owned);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = beside.into_iter().chain(std::env::split_paths(&path));
    let entries = folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    entries.map(|entry| entry.path()).collect()
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
            let targets = workers_in(metadata, None).into_iter();
            targets.map(|target| (target.backend().to_owned(), target.standard)).collect()
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
        let targets = workers_in(&serde_json::json!({"workspace_root": "/w", "packages": packages}), None);
        let opt_in: Vec<bool> = targets.iter().map(|target| target.opt_in).collect();
        assert_eq!(opt_in, [false, false, false, true]);
    }

    #[test]
    fn a_family_has_workers_of_its_own_and_what_they_need() {
        let package = |name: &str, folder: &str, program: &str| {
            let targets = [serde_json::json!({"name": program, "kind": ["bin"]})];
            serde_json::json!({"name": name, "manifest_path": format!("/w/{folder}/Cargo.toml"), "targets": targets})
        };
        let metadata = serde_json::json!({
            "workspace_root": "/w",
            "packages": [
                package("standard", "allocators/system", "heapmark-worker-system"),
                package("web-system", "web/system", "heapmark-web-system"),
                package("elsewhere", "mine", "heapmark-web-mine"),
                package("client", "client", "client"),
            ],
            "metadata": {"heapmark": {
                "workers": "allocators",
                "families": {"web": {"workers": "web", "needs": ["client"]}},
            }},
        });
        let names = |family| -> Vec<(String, bool)> {
            let targets = workers_in(&metadata, family).into_iter();
            targets.map(|target| (target.backend().to_owned(), target.standard)).collect()
        };
        assert_eq!(families_in(&metadata), ["web"]);
        assert_eq!(names(None), [("system".to_owned(), true)]);
        assert_eq!(names(Some("web")), [("system".to_owned(), true), ("mine".to_owned(), false)]);
        let needs: Vec<String> = needs_in(&metadata, "web").into_iter().map(|need| need.program).collect();
        assert_eq!(needs, ["client"]);
        assert!(needs_in(&metadata, "none").is_empty() && families_in(&serde_json::Value::Null).is_empty());
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

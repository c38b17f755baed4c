//! Where the workers of a run come from, as seen from a folder.

use std::path::{Path, PathBuf};

use crate::build::{Backend, Target, installed_families, installed_for, workers_in};
use crate::record::Kind;
use crate::{Error, Worker, Workspace};

/// What a run takes its workers from: the standard ones, and those of the package around the folder it is made in.
///
/// A package says so by a table `[package.metadata.heapmark]` in its manifest, and its programs that are called
/// `heapmark-worker-NAME` take part beside the standard workers. Where the table has `reference = "NAME"`, the package has a
/// catalogue of its own: then its workers are compared with each other, and with that one.
///
/// The standard workers are those of the first of these that there is:
///
/// 1. the heapmark checkout around the folder;
/// 2. the checkout that the package around the folder takes `heapmark-worker` from, by a path;
/// 3. the workers that are installed, beside the program or on `PATH`, if `system` is among them;
/// 4. the checkout that the program was built from;
/// 5. whichever workers are installed.
///
/// A family of workloads can have workers of its own (see [`Workspace::families`]). They are found in the same places, by the name
/// `heapmark-FAMILY-NAME`, and a run is made with them or with the standard ones, never with both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surroundings {
    own: Option<Own>,
    standard: Standard,
    family: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Standard {
    Checkout(Workspace),
    Installed(Vec<Worker>),
}

/// A package that brings workers along.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Own {
    package: Workspace,
    targets: Vec<Target>,
    reference: Option<String>,
}

impl Own {
    fn has(&self, name: &str) -> bool {
        self.targets.iter().any(|target| target.backend() == name)
    }
}

impl Surroundings {
    /// What there is around the current folder. Fails if a package there cannot be asked.
    pub fn find() -> Result<Self, Error> {
        Self::find_for(None)
    }

    /// The same for the workers of a family that has its own.
    pub fn find_for(family: Option<&str>) -> Result<Self, Error> {
        let here = std::env::current_dir().map_err(Error::file("cannot find", "the current folder"))?;
        Self::of(&here, family, || installed_for(family), Workspace::built_from())
    }

    /// What there is around `here`, with these workers installed and this checkout at the program's origin.
    fn of(
        here: &Path,
        family: Option<&str>,
        installed: impl FnOnce() -> Vec<Worker>,
        built_from: Option<Workspace>,
    ) -> Result<Self, Error> {
        let (own, pointed_to) = own_package(here, family)?;
        let standard = Workspace::around(here).or(pointed_to).map_or_else(
            || {
                let installed = installed();
                let whole = installed.iter().any(|worker| worker.name == "system");
                let origin = built_from.filter(|_| !whole);
                origin.map_or(Standard::Installed(installed), Standard::Checkout)
            },
            Standard::Checkout,
        );
        Ok(Self { own, standard, family: family.map(str::to_owned) })
    }

    /// The families of workloads that have workers of their own.
    pub fn families(&self) -> Result<Vec<String>, Error> {
        match self.standard() {
            None => Ok(Vec::new()),
            Some(Standard::Checkout(workspace)) => workspace.families(),
            Some(Standard::Installed(_)) => Ok(installed_families()),
        }
    }

    /// The backends of a checkout.
    fn backends(&self, workspace: &Workspace) -> Result<Vec<Backend>, Error> {
        self.family.as_deref().map_or_else(|| workspace.backends(), |family| workspace.backends_of(family))
    }

    /// The checkout that the standard workers are built in, unless they are installed.
    pub fn checkout(&self) -> Option<&Workspace> {
        match &self.standard {
            Standard::Checkout(workspace) => Some(workspace),
            Standard::Installed(_) => None,
        }
    }

    /// The worker that a package with a catalogue of its own compares the others with.
    pub fn reference(&self) -> Option<&str> {
        self.own.as_ref()?.reference.as_deref()
    }

    /// The folder that Cargo builds into here, if anything is built.
    pub fn target_folder(&self) -> Result<Option<PathBuf>, Error> {
        let own = self.own.as_ref().map(|own| &own.package);
        own.or(self.checkout()).map(Workspace::target_folder).transpose()
    }

    /// The names of the workers that there are; nothing is built.
    pub fn names(&self) -> Result<Vec<String>, Error> {
        let mut names: Vec<String> = match self.standard() {
            None => Vec::new(),
            Some(Standard::Checkout(workspace)) => {
                self.backends(workspace)?.into_iter().map(|backend| backend.name).collect()
            }
            Some(Standard::Installed(workers)) => workers.iter().map(|worker| worker.name.clone()).collect(),
        };
        if let Some(own) = &self.own {
            names.retain(|name| !own.has(name));
            names.extend(own.targets.iter().map(|target| target.backend().to_owned()));
        }
        Ok(names)
    }

    /// The workers that take part only where they are named. Of those that are installed, where no manifest tells, these are
    /// the ones that call themselves a handicap.
    pub fn opt_in(&self) -> Result<Vec<String>, Error> {
        let mut names: Vec<String> = match self.standard() {
            None => Vec::new(),
            Some(Standard::Checkout(workspace)) => {
                let backends = self.backends(workspace)?.into_iter().filter(|backend| backend.opt_in);
                backends.map(|backend| backend.name).collect()
            }
            Some(Standard::Installed(workers)) => {
                let workers = workers.iter().filter(|worker| worker.kind() == Ok(Kind::Handicap));
                workers.map(|worker| worker.name.clone()).collect()
            }
        };
        if let Some(own) = &self.own {
            names.retain(|name| !own.has(name));
            let targets = own.targets.iter().filter(|target| target.opt_in);
            names.extend(targets.map(|target| target.backend().to_owned()));
        }
        Ok(names)
    }

    /// The workers that lie apart from the checkout, each in a workspace of its own: to build all of them takes long.
    pub fn apart(&self) -> Result<Vec<String>, Error> {
        let Some(Standard::Checkout(workspace)) = self.standard() else { return Ok(Vec::new()) };
        let apart = self.backends(workspace)?.into_iter().filter(|backend| backend.apart).map(|backend| backend.name);
        Ok(apart.filter(|name| self.own.as_ref().is_none_or(|own| !own.has(name))).collect())
    }

    /// Builds or finds the workers that `wanted` names. Those of the package around the folder come last, and hide standard
    /// ones of the same name. One that cannot be built is listed with the reason.
    pub fn workers(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<Worker>, Error> {
        let hidden = |name: &str| self.own.as_ref().is_some_and(|own| own.has(name));
        let standard = |name: &str| wanted(name) && !hidden(name);
        let mut workers = match self.standard() {
            None => Vec::new(),
            Some(Standard::Checkout(workspace)) => match &self.family {
                Some(family) => workspace.build_family(family, standard)?,
                None => workspace.build(standard)?,
            },
            Some(Standard::Installed(workers)) => {
                workers.iter().filter(|worker| standard(&worker.name)).cloned().collect()
            }
        };
        if let Some(own) = &self.own {
            let targets: Vec<_> = own.targets.iter().filter(|target| wanted(target.backend())).cloned().collect();
            workers.extend(own.package.build_targets(&targets, None)?);
        }
        Ok(workers)
    }

    /// The standard workers, unless a package with a catalogue of its own stands alone.
    fn standard(&self) -> Option<&Standard> {
        Some(&self.standard).filter(|_| self.reference().is_none())
    }
}

/// The package around a folder, if it brings workers that are not standard ones, and the checkout that it points to.
fn own_package(here: &Path, family: Option<&str>) -> Result<(Option<Own>, Option<Workspace>), Error> {
    let Some(package) = Workspace::package_around(here) else { return Ok((None, None)) };
    let metadata = package.metadata()?;
    let manifest = package.root().join("Cargo.toml");
    // Cargo says where a file really is, whatever links lead to it.
    let really = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let is_it = |value: &serde_json::Value| {
        value["manifest_path"].as_str().is_some_and(|path| really(Path::new(path)) == really(&manifest))
    };
    let Some(described) = list(&metadata["packages"]).into_iter().find(is_it) else { return Ok((None, None)) };
    let source =
        list(&described["dependencies"]).into_iter().find(|dependency| dependency["name"] == "heapmark-worker");
    let pointed_to = source.and_then(|source| Workspace::around(Path::new(source["path"].as_str()?)));
    let name = described["name"].as_str().unwrap_or_default();
    let workers = workers_in(&metadata, family).into_iter();
    let targets: Vec<Target> = workers.filter(|target| target.package == name).collect();
    // A backend of the checkout is standard there, whatever folder one is in.
    let workspace = Path::new(metadata["workspace_root"].as_str().unwrap_or_default());
    let in_checkout = Workspace::around(here).is_some_and(|checkout| really(checkout.root()) == really(workspace));
    if targets.is_empty() || (in_checkout && targets.iter().all(|target| target.standard)) {
        return Ok((None, pointed_to));
    }
    let reference = described["metadata"]["heapmark"]["reference"].as_str().map(str::to_owned);
    let own = Own { package, targets, reference };
    if let Some(reference) = own.reference.as_deref().filter(|reference| !own.has(reference)) {
        let (names, manifest): (Vec<_>, _) = (own.targets.iter().map(Target::backend).collect(), manifest.display());
        let known = names.join(", ");
        return Err(Error::Usage(format!("{manifest}: the reference {reference:?} is none of its workers: {known}")));
    }
    Ok((Some(own), pointed_to))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    /// A checkout with the backends `system` and `spare`, as far as its manifests go.
    fn checkout(folder: &Path) -> Workspace {
        let worker = "[package]\nname = \"heapmark-worker\"\nedition = \"2024\"\n";
        write(folder, "crates/worker", worker, "lib.rs");
        backend(folder, "allocators/system", "system", "");
        backend(folder, "allocators/spare", "spare", "[package.metadata.heapmark]\nopt-in = true\n");
        let manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"allocators/*\", \"crates/*\"]\n\n\
                        [workspace.metadata.heapmark]\nworkers = \"allocators\"\n";
        fs::write(folder.join("Cargo.toml"), manifest).expect("a folder of our own");
        Workspace::at(folder)
    }

    /// A package with one worker.
    fn backend(root: &Path, folder: &str, name: &str, more: &str) {
        let program = format!("[[bin]]\nname = \"heapmark-worker-{name}\"\npath = \"src/main.rs\"\n");
        write(root, folder, &format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n{more}{program}"), "main.rs");
    }

    fn write(root: &Path, folder: &str, manifest: &str, source: &str) {
        let folder = root.join(folder);
        fs::create_dir_all(folder.join("src")).expect("a folder of our own");
        fs::write(folder.join("Cargo.toml"), manifest).expect("a folder of our own");
        fs::write(folder.join("src").join(source), "").expect("a folder of our own");
    }

    fn folder() -> TempDir {
        tempfile::tempdir().expect("a folder for temporary files")
    }

    fn named(names: &[&str]) -> Vec<Worker> {
        names.iter().map(|name| Worker::at(*name, "/somewhere")).collect()
    }

    #[test]
    fn standard_workers_come_from_the_nearest_place() {
        let (here, around, origin, pointed) = (folder(), folder(), folder(), folder());
        let [around_it, origin, pointed] = [&around, &origin, &pointed].map(|folder| checkout(folder.path()));
        let inside = around.path().join("allocators/system/src");
        let of = |here: &Path, installed: &[&str], origin: Option<&Workspace>| {
            let found =
                Surroundings::of(here, None, || named(installed), origin.cloned()).expect("the manifests are sound");
            found.checkout().map(|checkout| checkout.root().to_owned())
        };
        let all = ["mimalloc", "system"];
        assert_eq!(of(&inside, &all, Some(&origin)).as_deref(), Some(around_it.root()));
        assert_eq!(of(here.path(), &all, Some(&origin)), None, "installed ones come before the program's origin");
        assert_eq!(of(here.path(), &["mimalloc"], Some(&origin)).as_deref(), Some(origin.root()));
        assert_eq!(of(here.path(), &["mimalloc"], None), None);

        let path = pointed.root().join("crates/worker").display().to_string();
        let points = format!(
            "[package.metadata.heapmark]\n[dependencies]\nheapmark-worker = {{ path = {path:?} }}\n[workspace]\n"
        );
        backend(here.path(), "mine", "mine", &points);
        let mine = here.path().join("mine");
        assert_eq!(of(&mine, &all, Some(&origin)).as_deref(), Some(pointed.root()));
        let found = Surroundings::of(&mine, None, || named(&all), None).expect("the manifests are sound");
        assert_eq!(found.names().expect("both answer"), ["spare", "system", "mine"]);
        assert_eq!(found.opt_in().expect("both answer"), ["spare"]);
        assert_eq!(found.reference(), None);
    }

    #[test]
    fn a_package_joins_the_standard_workers_or_stands_alone() {
        let here = folder();
        let of = |more: &str, folder: &str| {
            backend(here.path(), "mine", "mine", &format!("{more}\n[workspace]\n"));
            Surroundings::of(&here.path().join(folder), None, || named(&["mine", "system"]), None)
        };
        let names = |found: Result<Surroundings, Error>| found.and_then(|found| found.names());
        assert_eq!(names(of("", "mine")).expect("it is passed over"), ["mine", "system"]);
        let joined = of("[package.metadata.heapmark]\n", "mine/src").expect("it is sound");
        assert_eq!(joined.names().expect("it is known"), ["system", "mine"], "its worker hides the other of that name");
        assert_eq!(joined.workers(|name| name == "system").expect("nothing is built"), named(&["system"]));
        let alone = of("[package.metadata.heapmark]\nreference = \"mine\"\n", "mine").expect("it is sound");
        assert_eq!(alone.names().expect("it is known"), ["mine"]);
        assert_eq!(alone.reference(), Some("mine"));
        let wrong = of("[package.metadata.heapmark]\nreference = \"system\"\n", "mine");
        let wrong = wrong.expect_err("it has no such worker").to_string();
        assert!(wrong.contains("\"system\" is none of its workers: mine"), "{wrong}");
    }

    #[test]
    fn a_family_has_its_own_workers_in_the_same_places() {
        let around = folder();
        checkout(around.path());
        let web = "[package]\nname = \"web-system\"\nedition = \"2024\"\n[[bin]]\nname = \"heapmark-web-system\"\npath = \"src/main.rs\"\n";
        write(around.path(), "web/system", web, "main.rs");
        let manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"allocators/*\", \"crates/*\", \"web/*\"]\n\n\
                        [workspace.metadata.heapmark]\nworkers = \"allocators\"\n\n\
                        [workspace.metadata.heapmark.families.web]\nworkers = \"web\"\n";
        fs::write(around.path().join("Cargo.toml"), manifest).expect("a folder of our own");
        let of = |family| Surroundings::of(around.path(), family, Vec::new, None).expect("it is sound");
        assert_eq!(of(None).families().expect("it is known"), ["web"]);
        assert_eq!(of(None).names().expect("it is known"), ["spare", "system"]);
        assert_eq!(of(Some("web")).names().expect("it is known"), ["system"]);
        assert_eq!(of(Some("web")).opt_in().expect("it is known"), [""; 0]);
    }

    #[test]
    fn a_backend_of_the_checkout_is_no_package_of_its_own() {
        let around = folder();
        checkout(around.path());
        let found =
            Surroundings::of(&around.path().join("allocators/spare"), None, Vec::new, None).expect("it is sound");
        assert_eq!(found.own, None);
        assert_eq!(found.names().expect("it is known"), ["spare", "system"]);
    }
}

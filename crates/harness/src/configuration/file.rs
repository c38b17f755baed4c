//! The file itself: found, read, and asked for names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::forms::{Chosen, Member, Name, Parameters};
use super::sets::READY_MADE;
use crate::{Case, ContenderName, Error, NamedContender, Worker};

/// What the file is called.
pub const FILE_NAME: &str = "heapmark.toml";

/// What a `heapmark.toml` says.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Configuration {
    /// Where it was read; absent where there is no file.
    #[serde(skip)]
    path: Option<PathBuf>,
    /// Contenders by a name of their own: `"backend@knob:value"`, or a table. They take part where they are named.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, super::forms::ContenderTable>"))]
    contenders: BTreeMap<Name, ContenderName>,
    /// Worker programs by name, as with `--worker`; they take part like backends. A path is relative to the file.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, String>"))]
    workers: BTreeMap<Name, PathBuf>,
    /// Libraries that replace malloc, as with `--preload`; they take part like backends. A path is relative to the file.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, String>"))]
    preload: BTreeMap<Name, PathBuf>,
    /// Sets of contenders for `--with-set`: names of this file, backends with knobs, or `*@knob:value` for every backend that
    /// takes part.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, Vec<String>>"))]
    contender_sets: BTreeMap<Name, Vec<Member>>,
    /// Sets of workloads for `--set`: `"family/name?parameter=value"`, or tables.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, Vec<super::forms::WorkloadTable>>"))]
    workload_sets: BTreeMap<Name, Vec<Chosen>>,
    /// Parameters that differ from the defaults in every run: for all workloads that have them, or in a table named after one
    /// workload. What the set or the command line says goes before.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, String>"))]
    parameters: Parameters,
    /// What `heapmark run` does without being told.
    run: Run,
}

/// What `heapmark run` does without being told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Run {
    /// Contenders that take part in every run, as with `--with`.
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub with: Vec<Member>,
    /// Sets that take part in every run, as with `--with-set`.
    pub with_sets: Vec<String>,
}

impl Configuration {
    /// The file for a folder: there or in one around it, up to the root of a git repository.
    pub fn find(folder: &Path) -> Option<PathBuf> {
        for folder in folder.ancestors() {
            let file = folder.join(FILE_NAME);
            if file.is_file() {
                return Some(file);
            }
            if folder.join(".git").exists() {
                break;
            }
        }
        None
    }

    /// Reads a file. Fails with the file, the line and the reason.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(Error::file("cannot read", path))?;
        let mut configuration: Self = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or_else(String::new, |span| format!(":{}", line_of(&text, span.start)));
            let reason = error.message().lines().map(str::trim).collect::<Vec<_>>().join(" ");
            Error::Usage(format!("{}{line}: {reason}", path.display()))
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for path in configuration.workers.values_mut().chain(configuration.preload.values_mut()) {
            *path = folder.join(&path);
        }
        configuration.path = Some(path.to_owned());
        configuration.check()?;
        Ok(configuration)
    }

    /// Names that stand for two things would be taken for the wrong one.
    fn check(&self) -> Result<(), Error> {
        let twice = |a: &str, b: &str, name: &Name| {
            Err(self.wrong(&format!("{:?} stands in [{a}] and in [{b}]; give one of them another name", name.0)))
        };
        if let Some(name) = self.workers.keys().find(|name| self.preload.contains_key(*name)) {
            return twice("workers", "preload", name);
        }
        for (name, is) in &self.contenders {
            if self.workers.contains_key(name) {
                return twice("contenders", "workers", name);
            }
            if self.preload.contains_key(name) {
                return twice("contenders", "preload", name);
            }
            if name.0 == is.backend {
                return Err(
                    self.wrong(&format!("[contenders] {:?} is the name of its backend; choose another", name.0))
                );
            }
            if self.contenders.keys().any(|other| other.0 == is.backend) {
                let why = format!("[contenders] {:?} is made of {:?}, which is no backend", name.0, is.backend);
                return Err(self.wrong(&why));
            }
        }
        Ok(())
    }

    fn wrong(&self, why: &str) -> Error {
        Error::Usage(format!("{}: {why}", self.path.as_deref().unwrap_or(Path::new(FILE_NAME)).display()))
    }

    /// Where it was read, if there is a file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The workers of the file.
    pub fn workers(&self) -> Vec<Worker> {
        self.workers.iter().map(|(name, path)| Worker::at(&name.0, path)).collect()
    }

    /// The libraries of the file, by the names under which they take part.
    pub fn preloads(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.preload.iter().map(|(name, path)| (name.0.as_str(), path.as_path()))
    }

    /// What takes part in every run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Parameters that differ from the defaults.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The contender that a name stands for: one of the file, perhaps with more knobs, or else just what it says. Fails where a
    /// knob would be set twice.
    pub fn contender(&self, name: &ContenderName) -> Result<NamedContender, Error> {
        match self.contenders.get(&Name(name.backend.clone())) {
            Some(is) => Ok(NamedContender { name: name.to_string(), is: is.clone().with_knobs(&name.knobs)? }),
            None => Ok(name.clone().into()),
        }
    }

    /// A set of contenders: of the file, or else ready-made. Fails with the sets there are.
    pub fn contender_set(&self, name: &str) -> Result<Vec<Member>, Error> {
        if let Some(set) = self.contender_sets.get(&Name(name.into())) {
            return Ok(set.clone());
        }
        let ready_made = READY_MADE.iter().find(|set| set.name == name).ok_or_else(|| {
            let known: Vec<_> = self.contender_sets().map(|(name, _)| name).collect();
            let known = known.into_iter().chain(READY_MADE.iter().map(|set| set.name));
            let known = known.collect::<Vec<_>>().join(", ");
            Error::Usage(format!("no set of contenders is named {name:?}; there are {known}"))
        })?;
        ready_made.contenders.iter().map(|text| Member::parse(text).map_err(Error::Usage)).collect()
    }

    /// The sets of contenders of the file.
    pub fn contender_sets(&self) -> impl Iterator<Item = (&str, &[Member])> {
        self.contender_sets.iter().map(|(name, members)| (name.0.as_str(), members.as_slice()))
    }

    /// The sets of workloads of the file.
    pub fn workload_sets(&self) -> impl Iterator<Item = (&str, Vec<Case>)> {
        let cases = |set: &[Chosen]| set.iter().map(|chosen| chosen.0.clone()).collect();
        self.workload_sets.iter().map(move |(name, set)| (name.0.as_str(), cases(set)))
    }
}

/// The line, counted from 1, that a place in a text lies in.
fn line_of(text: &str, place: usize) -> usize {
    text.bytes().take(place).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a file of this content says, or what is wrong with it, without its folder.
    fn read(text: &str) -> Result<Configuration, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        std::fs::write(&path, text).unwrap();
        let prefix = format!("{}/", folder.path().display());
        Configuration::read(&path).map_err(|error| error.to_string().replace(&prefix, ""))
    }

    fn contender(configuration: &Configuration, text: &str) -> (String, String) {
        let named = configuration.contender(&ContenderName::parse(text).unwrap()).unwrap();
        (named.name, named.is.to_string())
    }

    #[test]
    fn contenders_have_names_of_their_own() {
        let configuration = read(
            "[contenders]\n\
             short = 'jemalloc@narenas:1,dirty_decay_ms:0'\n\
             long = { backend = 'jemalloc', knobs = { narenas = 1, background_thread = true }, thp = 'never' }\n\
             [contenders.longer]\n\
             backend = 'mimalloc'\n\
             knobs.purge_delay = -1\n",
        )
        .unwrap();
        for (text, name, is) in [
            ("short", "short", "jemalloc@narenas:1,dirty_decay_ms:0"),
            ("long", "long", "jemalloc@background_thread:true,narenas:1,thp:never"),
            ("longer@thp:never", "longer@thp:never", "mimalloc@purge_delay:-1,thp:never"),
            ("mimalloc@purge_delay:1", "mimalloc@purge_delay:1", "mimalloc@purge_delay:1"),
        ] {
            assert_eq!(contender(&configuration, text), (name.into(), is.into()), "{text}");
        }
        let twice = ContenderName::parse("long@narenas:2").unwrap();
        assert!(configuration.contender(&twice).unwrap_err().to_string().contains("twice"));
    }

    #[test]
    fn sets_are_the_files_or_ready_made() {
        let configuration = read("[contender-sets]\nmine = ['*@thp:never', 'system@arena_max:1']\n").unwrap();
        let shown = |name: &str| {
            configuration.contender_set(name).map(|set| set.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(shown("mine").unwrap(), ["*@thp:never", "system@arena_max:1"]);
        assert_eq!(shown("jemalloc-decay").unwrap().len(), 3);
        let error = shown("yours").unwrap_err().to_string();
        assert!(error.contains("mine") && error.contains("jemalloc-decay"), "{error}");
        let hidden = read("[contender-sets]\nthp = ['system']\n").unwrap();
        assert_eq!(hidden.contender_set("thp").unwrap().len(), 1, "the file's own goes before");
    }

    #[test]
    fn workloads_have_parameters_from_the_set_the_workload_and_everywhere() {
        let configuration = read(
            "[workload-sets]\n\
             small = ['graph/tree?live=40', { workload = 'graph/dag', parameters = { nodes = 10, shape = 'flat' } }]\n\
             [parameters]\n\
             threads = 2\n\
             live = 1\n\
             [parameters.'graph/tree']\n\
             live = 4000\n\
             depth = 7\n",
        )
        .unwrap();
        let (name, cases) = configuration.workload_sets().next().unwrap();
        let shown: Vec<_> = cases.iter().map(ToString::to_string).collect();
        assert_eq!((name, shown.join(" ").as_str()), ("small", "graph/tree?live=40 graph/dag?nodes=10&shape=flat"));
        let filled = |text: &str| {
            let case = Case::parse(text).unwrap();
            configuration.parameters().fill_in(case, |name| name == "threads" || name == "live").to_string()
        };
        assert_eq!(filled("graph/tree?live=40"), "graph/tree?depth=7&live=40&threads=2");
        assert_eq!(filled("graph/tree"), "graph/tree?depth=7&live=4000&threads=2");
        assert_eq!(filled("json/parse?threads=1"), "json/parse?live=1&threads=1");
        let without = configuration.parameters().fill_in(Case::new("json/parse"), |_| false);
        assert_eq!(without, Case::new("json/parse"));
    }

    #[test]
    fn paths_are_relative_to_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.toml");
        std::fs::write(&path, "workers.mine = 'bin/worker'\npreload = { a = 'lib/a.so', b = '/lib/b.so' }\n").unwrap();
        let configuration = Configuration::read(&path).unwrap();
        assert_eq!(configuration.workers(), [Worker::at("mine", folder.path().join("bin/worker"))]);
        let libraries: Vec<_> = configuration.preloads().collect();
        assert_eq!(libraries, [("a", folder.path().join("lib/a.so").as_path()), ("b", Path::new("/lib/b.so"))]);
    }

    #[test]
    fn what_is_wrong_is_one_line_with_file_and_line() {
        for (text, line, hint) in [
            ("[contenders]\nx = \n", 2, ""),
            ("[contender]\nx = 'a'\n", 1, "contender-sets"),
            ("\n[contenders]\n'a b' = 'a'\n", 3, "is no name"),
            ("[contenders]\na = 'b'\nx = 'a@'\n", 3, "lacks its `:value`"),
            ("[contenders]\nx = 1\n", 2, "a table with backend, knobs and thp"),
            ("[contenders]\nx = { backend = 'a', knob = {} }\n", 2, "knobs"),
            ("[contenders.x]\nbackend = 'a'\nthp = 'sometimes'\n", 3, "advised"),
            ("[contenders.x]\nbackend = 'a'\nknobs.b = [1]\n", 3, "a number"),
            ("[contenders.x]\nknobs.b = 1\n", 1, "backend"),
            ("[contender-sets]\nx = 'a'\n", 2, "sequence"),
            ("[contender-sets]\nx = [\n'a',\n'*',\n]\n", 4, "is not a contender"),
            ("[workload-sets]\nx = ['a/b?c']\n", 2, "NAME?parameter=value"),
            ("[workload-sets]\nx = [{ workloads = 'a' }]\n", 2, "workload"),
            ("[parameters]\nx = [1]\n", 2, "one workload's parameters"),
            ("[run]\nwith = ['a@b']\n", 2, "lacks its `:value`"),
            ("[run]\nblocks = 1\n", 2, "with-sets"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(&format!("heapmark.toml:{line}: ")), "{text:?}: {error}");
            assert!(error.contains(hint) && !error.contains('\n'), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_name_stands_for_one_thing() {
        for text in [
            "contenders.x = 'a'\nworkers.x = 'b'\n",
            "contenders.x = 'a'\npreload.x = 'b'\n",
            "workers.x = 'a'\npreload.x = 'b'\n",
            "contenders.x = 'a'\ncontenders.y = 'x@b:1'\n",
            "contenders.x = 'x@b:1'\n",
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with("heapmark.toml: ") && error.contains('x'), "{error}");
        }
    }

    #[test]
    fn it_is_found_around_a_folder_but_not_outside_its_repository() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("repository/crate/src");
        std::fs::create_dir_all(&inner).unwrap();
        let outer = folder.path().join(FILE_NAME);
        std::fs::write(&outer, "").unwrap();
        assert_eq!(Configuration::find(&inner), Some(outer));
        std::fs::create_dir(folder.path().join("repository/.git")).unwrap();
        assert_eq!(Configuration::find(&inner), None);
        let own = folder.path().join("repository").join(FILE_NAME);
        std::fs::write(&own, "").unwrap();
        assert_eq!(Configuration::find(&inner), Some(own));
        assert_eq!(Configuration::read(Path::new("/dev/null")).unwrap().workers(), []);
    }
}

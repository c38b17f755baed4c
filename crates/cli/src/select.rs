//! From what the user asked for to contenders and cases.

use std::path::PathBuf;

use heapmark::configuration::{Configuration, Member};
use heapmark::{Case, Catalogue, Contender, ContenderName, Error, NamedContender, Surroundings, Worker};
use regex::Regex;

use crate::args::{ContenderSelection, MoreContenders, WorkloadSelection};
use crate::print::say;
use crate::run::Run;

/// The backend that counts; it is asked and never compared.
pub(crate) const COUNTING: &str = "counting";

/// The backend that the others are compared with unless another is named, and that libraries are preloaded into.
pub(crate) const SYSTEM: &str = "system";

/// Whether a name passes: matched by some of `within` (or there are none), and by none of `without`.
pub(crate) fn passes(name: &str, within: &[Regex], without: &[Regex]) -> bool {
    let matches = |pattern: &Regex| pattern.is_match(name);
    (within.is_empty() || within.iter().any(matches)) && !without.iter().any(matches)
}

impl ContenderSelection {
    /// What there is around the current folder for the workloads that were asked for.
    pub(crate) fn surroundings(&self) -> Result<Surroundings, Error> {
        Surroundings::find_for(self.family.as_deref())
    }

    /// Whether this backend is selected.
    pub(crate) fn takes(&self, name: &str) -> bool {
        passes(name, &self.allocator, &self.no_allocator)
    }

    /// What the configuration file says, nothing if there is none. It is read once.
    pub(crate) fn configuration(&self) -> Result<&Configuration, Error> {
        if let Some(configuration) = self.configuration.get() {
            return Ok(configuration);
        }
        let found = || Configuration::find(&std::env::current_dir().ok()?);
        let path = self.config.clone().or_else(found);
        let configuration = path.map_or_else(|| Ok(Configuration::default()), |path| Configuration::read(&path))?;
        Ok(self.configuration.get_or_init(|| configuration))
    }

    /// The workers given by path: those of the command line, and of those of the file that it does not hide whichever are
    /// wanted.
    fn given_workers(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<Worker>, Error> {
        let mut workers = self.worker.clone();
        let hidden = |name: &str| self.names_on_the_command_line().any(|given| given == name);
        let of_the_file = self.configuration()?.workers();
        workers.extend(of_the_file.into_iter().filter(|worker| !hidden(&worker.name) && wanted(&worker.name)));
        Ok(workers)
    }

    /// The libraries to preload, likewise.
    fn given_preloads(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<(String, PathBuf)>, Error> {
        let mut libraries = self.preload.clone();
        let hidden = |name: &str| self.names_on_the_command_line().any(|given| given == name);
        let of_the_file = self.configuration()?.preloads().filter(|(name, _)| !hidden(name) && wanted(name));
        libraries.extend(of_the_file.map(|(name, path)| (name.to_owned(), path.to_owned())));
        Ok(libraries)
    }

    fn names_on_the_command_line(&self) -> impl Iterator<Item = &str> {
        let libraries = self.preload.iter().map(|(name, _)| name);
        self.worker.iter().map(|worker| &worker.name).chain(libraries).map(String::as_str)
    }

    /// Whether a worker or library of this name is given by path: it is named by that, whatever `-a` chooses among the others.
    fn gives(&self, name: &str) -> bool {
        self.names_on_the_command_line().any(|given| given == name) && passes(name, &[], &self.no_allocator)
    }

    /// Whether this backend is named: a pattern matches its whole name, and not a part that it has in common with others.
    fn names(&self, name: &str) -> bool {
        let whole = |pattern: &Regex| Regex::new(&format!("^(?:{pattern})$")).is_ok_and(|whole| whole.is_match(name));
        self.allocator.iter().any(whole) || self.names_on_the_command_line().any(|given| given == name)
    }

    /// The backends that match and take part only where they are named, which they are not.
    fn unnamed(&self) -> Result<Vec<String>, Error> {
        self.only_unnamed(self.surroundings()?.opt_in()?)
    }

    /// The backends that match and lie apart, so that they are built only where they are named, which they are not.
    pub(crate) fn unnamed_apart(&self) -> Result<Vec<String>, Error> {
        self.only_unnamed(self.surroundings()?.apart()?)
    }

    /// A worker or library given by path is named by that.
    fn only_unnamed(&self, mut names: Vec<String>) -> Result<Vec<String>, Error> {
        let workers = self.given_workers(|_| true)?;
        let libraries = self.given_preloads(|_| true)?;
        names.retain(|name| {
            let is_given =
                workers.iter().any(|worker| worker.name == *name) || libraries.iter().any(|(given, _)| given == name);
            self.takes(name) && !self.names(name) && !is_given
        });
        Ok(names)
    }

    /// Builds or finds the workers that `wanted` names; those given by path come last, and hide others of the same name. The
    /// last of all are those with a library preloaded.
    pub(crate) fn workers(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<Worker>, Error> {
        let given = self.given_workers(&wanted)?;
        let libraries = self.given_preloads(&wanted)?;
        check_names(&given, &libraries)?;
        let is_given = |name: &str| given.iter().any(|worker| worker.name == name);
        let is_hidden = |name: &str| is_given(name) || libraries.iter().any(|(library, _)| library == name);
        let carries = |name: &str| name == SYSTEM && !libraries.is_empty();
        let needed = |name: &str| (wanted(name) || carries(name)) && !is_hidden(name);
        let mut workers = self.surroundings()?.workers(needed)?;
        workers.extend(given.iter().cloned());
        let system = workers.iter().find(|worker| worker.name == SYSTEM).cloned();
        let system = system
            .unwrap_or_else(|| Worker::missing(SYSTEM, format!("there is no worker {SYSTEM:?} to preload it into")));
        workers.retain(|worker| is_given(&worker.name) || wanted(&worker.name));
        workers.extend(libraries.into_iter().map(|(name, library)| system.clone().preloading(name, library)));
        if workers.is_empty() {
            return Err(self.nothing()?);
        }
        Ok(workers)
    }

    /// The one contender of this name, of a backend or of the configuration file. Fails with the names there are.
    pub(crate) fn one(&self, name: &ContenderName) -> Result<Contender, Error> {
        let named = self.configuration()?.contender(name)?;
        let backend = named.is.backend.as_str();
        match self.workers(|name| name == backend) {
            Ok(workers) => named.resolve(&workers),
            Err(Error::NothingSelected(_)) => {
                let mut known = self.surroundings()?.names()?;
                known.extend(self.given_workers(|_| true)?.into_iter().map(|worker| worker.name));
                known.extend(self.given_preloads(|_| true)?.into_iter().map(|(name, _)| name));
                Err(Error::Usage(format!("no allocator is named {backend:?}; there are {}", known.join(", "))))
            }
            Err(error) => Err(error),
        }
    }

    /// Why no worker is selected.
    pub(crate) fn nothing(&self) -> Result<Error, Error> {
        let unnamed = self.unnamed_apart()?;
        let hint = if unnamed.is_empty() {
            "run inside a heapmark checkout, put heapmark-worker-NAME on PATH, or give --worker NAME=PATH".to_owned()
        } else {
            format!("`-a` must have the whole name to select one of {}", unnamed.join(", "))
        };
        Ok(Error::NothingSelected(format!("no worker is selected or found; {hint}")))
    }

    /// The name of the worker to ask what there is to measure: the reference if it is selected, else the first.
    pub(crate) fn one_worker(&self) -> Result<String, Error> {
        let surroundings = self.surroundings()?;
        let reference = surroundings.reference().unwrap_or(SYSTEM);
        let unnamed = self.unnamed_apart()?;
        let mut names: Vec<String> = self.names_on_the_command_line().map(str::to_owned).collect();
        names.extend(surroundings.names()?.into_iter().filter(|name| self.takes(name) && !unnamed.contains(name)));
        let one = names.iter().find(|name| *name == reference).or(names.first());
        Ok(one.cloned().unwrap_or_else(|| reference.to_owned()))
    }
}

/// The reference that was asked for, else that of the package around the current folder, if there is one.
pub(crate) fn reference(run: &Run) -> Result<Option<String>, Error> {
    match &run.reference {
        Some(reference) => Ok(Some(reference.clone())),
        None => Ok(run.contenders.surroundings()?.reference().map(str::to_owned)),
    }
}

/// A library is not a worker, and it needs the system allocator's.
fn check_names(workers: &[Worker], libraries: &[(String, PathBuf)]) -> Result<(), Error> {
    let is_taken = |index: usize, name: &str| {
        let earlier = libraries[..index].iter().map(|(name, _)| name);
        name == SYSTEM || workers.iter().map(|worker| &worker.name).chain(earlier).any(|taken| taken == name)
    };
    match libraries.iter().enumerate().find(|(index, (name, _))| is_taken(*index, name)) {
        Some((_, (name, _))) => {
            Err(Error::Usage(format!("a library cannot be preloaded as {name:?}: something else is called so")))
        }
        None => Ok(()),
    }
}

impl MoreContenders {
    /// What was named here and under `[run]` of the configuration file.
    fn members(&self, configuration: &Configuration) -> Result<Vec<Member>, Error> {
        let mut members = self.named(configuration)?;
        members.extend(configuration.run().with.iter().cloned());
        for set in &configuration.run().with_sets {
            members.extend(configuration.contender_set(set)?);
        }
        Ok(members)
    }

    /// What was named here.
    pub(crate) fn named(&self, configuration: &Configuration) -> Result<Vec<Member>, Error> {
        let mut members: Vec<Member> = self.with.iter().cloned().map(Member::One).collect();
        for set in &self.with_set {
            members.extend(configuration.contender_set(set)?);
        }
        Ok(members)
    }
}

/// The backends that have to be there for these contenders.
pub(crate) fn backends(members: &[Member], configuration: &Configuration) -> Result<Vec<String>, Error> {
    let names = members.iter().filter_map(|member| match member {
        Member::One(name) => Some(name),
        Member::All { .. } => None,
    });
    names.map(|name| Ok(configuration.contender(name)?.is.backend)).collect()
}

/// Adds these contenders to those that take part as they are, but those who take part already.
pub(crate) fn add(
    members: &[Member],
    configuration: &Configuration,
    workers: &[Worker],
    contenders: &mut Vec<Contender>,
) -> Result<(), Error> {
    let plain: Vec<String> = contenders.iter().map(|contender| contender.name.clone()).collect();
    let mut named = Vec::new();
    for member in members {
        match member {
            Member::One(name) => named.push(configuration.contender(name)?),
            Member::All { knobs } => {
                let with_knobs = |backend: &String| ContenderName { backend: backend.clone(), knobs: knobs.clone() };
                named.extend(plain.iter().map(with_knobs).map(NamedContender::from));
            }
        }
    }
    for contender in named {
        if contenders.iter().all(|other| other.name != contender.name) {
            contenders.push(contender.resolve(workers)?);
        }
    }
    Ok(())
}

/// Who takes part in a run: the contenders, and the worker that counts.
pub(crate) fn contenders(run: &Run) -> Result<(Vec<Contender>, Option<Worker>), Error> {
    let selection = &run.contenders;
    let configuration = selection.configuration()?;
    let reference = reference(run)?.as_deref().map(ContenderName::parse).transpose()?;
    let named_reference = reference.as_ref().map(|name| configuration.contender(name)).transpose()?;
    let reference_backend = named_reference.as_ref().map_or(SYSTEM, |named| named.is.backend.as_str());
    let plain_reference = named_reference.as_ref().is_none_or(NamedContender::is_plain);
    let mut members = run.more.members(configuration)?;
    // Behind the others, since who takes part already is not added again.
    members.extend(reference.clone().map(Member::One));
    let backends = backends(&members, configuration)?;
    let unnamed = selection.unnamed()?;
    if !selection.allocator.is_empty() && !unnamed.is_empty() {
        say(format_args!("left out, since they take part only where `-a` has the whole name: {}", unnamed.join(", ")));
    }
    let selected = |name: &str| selection.takes(name) && !unnamed.iter().any(|unnamed| unnamed == name);
    let takes = |name: &str| {
        name != COUNTING && (selected(name) || selection.gives(name) || (plain_reference && name == reference_backend))
    };
    let wanted = |name: &str| {
        let named = backends.iter().any(|backend| backend == name);
        takes(name) || name == COUNTING || name == reference_backend || named
    };
    let workers = selection.workers(wanted)?;
    let mut contenders: Vec<Contender> =
        workers.iter().filter(|worker| takes(&worker.name)).cloned().map(Contender::plain).collect();
    add(&members, configuration, &workers, &mut contenders)?;
    let counting = workers.into_iter().find(|worker| worker.name == COUNTING);
    Ok((contenders, counting))
}

/// Who is examined: the backends that are selected, of which none counts as a reference, and those named with knobs.
pub(crate) fn examined(selection: &ContenderSelection, more: &MoreContenders) -> Result<Vec<Contender>, Error> {
    let configuration = selection.configuration()?;
    let members = more.named(configuration)?;
    let backends = backends(&members, configuration)?;
    let unnamed = selection.unnamed()?;
    let takes = |name: &str| {
        let is_left_out = unnamed.iter().any(|unnamed| unnamed == name) || (name == COUNTING && !selection.names(name));
        (selection.takes(name) && !is_left_out) || selection.gives(name)
    };
    let workers = selection.workers(|name| takes(name) || backends.iter().any(|backend| backend == name))?;
    let mut contenders: Vec<Contender> =
        workers.iter().filter(|worker| takes(&worker.name)).cloned().map(Contender::plain).collect();
    add(&members, configuration, &workers, &mut contenders)?;
    Ok(contenders)
}

/// The cases of a run. A parameter goes to every workload that has it, and must fit at least one; of a sweep, each value makes
/// a case of its own.
pub(crate) fn cases(run: &Run, catalogue: &Catalogue) -> Result<Vec<Case>, Error> {
    let configuration = run.contenders.configuration()?;
    // A parameter is a sweep of one value.
    let one = |(key, value): &(String, String)| (key.clone(), vec![value.clone()]);
    let mut parameters: Vec<(String, Vec<String>)> = run.parameters.iter().map(one).collect();
    parameters.extend(run.threads.map(|threads| ("threads".to_owned(), vec![threads.to_string()])));
    if let Some((key, _)) = run.sweep.iter().find(|(key, _)| parameters.iter().any(|(set, _)| set == key)) {
        return Err(Error::Usage(format!("{key} is set and swept; leave out one of them")));
    }
    parameters.extend(run.sweep.iter().cloned());
    let mut used = vec![false; parameters.len()];
    let mut cases: Vec<Case> = Vec::new();
    for chosen in chosen(run, configuration, catalogue)? {
        let known = catalogue.find(&chosen.workload).map(|workload| workload.parameters.as_slice()).unwrap_or_default();
        let has = |name: &str| known.iter().any(|parameter| parameter.name == name);
        let mut variants = vec![chosen];
        for (used, (key, values)) in used.iter_mut().zip(&parameters) {
            if has(key) {
                *used = true;
                let with_each = |case: Case| values.iter().map(move |value| case.clone().with(key, value));
                variants = variants.into_iter().flat_map(with_each).collect();
            }
        }
        for case in variants {
            let case = configuration.parameters().fill_in(case, has);
            catalogue.check(&case)?;
            // Sets can overlap, and parameters of the command line make different cases equal.
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
    }
    if let Some(unused) = used.iter().position(|used| !used) {
        let key = &parameters[unused].0;
        return Err(Error::Usage(format!(
            "no selected workload has a parameter {key:?}; see `heapmark list WORKLOAD`"
        )));
    }
    Ok(cases)
}

/// The cases that are chosen, with the parameters that the set gives them: those of the named sets, of all workloads where some
/// are named, or else the default ones.
fn chosen(run: &Run, configuration: &Configuration, catalogue: &Catalogue) -> Result<Vec<Case>, Error> {
    let WorkloadSelection { workload, no_workload } = &run.workloads;
    let all = || catalogue.workloads.iter().map(|workload| workload.name.clone()).collect::<Vec<_>>();
    let offered: Vec<Case> = match run.sets.as_slice() {
        [] if workload.is_empty() => {
            let usual = catalogue.default_workloads();
            usual.iter().map(|workload| Case::parse(workload)).collect::<Result<_, _>>()?
        }
        [] => all().into_iter().map(Case::new).collect(),
        sets => {
            let sets = sets.iter().map(|name| set(name, configuration, catalogue)).collect::<Result<Vec<_>, _>>()?;
            sets.concat()
        }
    };
    let chosen: Vec<Case> = offered.into_iter().filter(|case| passes(&case.workload, workload, no_workload)).collect();
    if chosen.is_empty() {
        return Err(Error::NothingSelected(format!(
            "no workload is selected; the reference has {} (--reference chooses another)",
            all().join(", ")
        )));
    }
    Ok(chosen)
}

/// The cases of a set: of the configuration file, or else of the catalogue.
fn set(name: &str, configuration: &Configuration, catalogue: &Catalogue) -> Result<Vec<Case>, Error> {
    if let Some((_, cases)) = configuration.workload_sets().find(|(set, _)| *set == name) {
        return Ok(cases);
    }
    let set = catalogue.sets.iter().find(|set| set.name == name).ok_or_else(|| {
        let ours = configuration.workload_sets().map(|(name, _)| name);
        let known: Vec<_> = ours.chain(catalogue.sets.iter().map(|set| set.name.as_str())).collect();
        Error::Usage(format!("no set of workloads is named {name:?}; there are {}", known.join(", ")))
    })?;
    set.workloads.iter().map(|workload| Case::parse(workload)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_is_named_by_its_whole_name_only() {
        let selection = |pattern: &str| ContenderSelection {
            allocator: vec![Regex::new(pattern).expect("it is a pattern")],
            worker: vec![Worker::at("mine", "/bin/mine")],
            ..ContenderSelection::default()
        };
        for (pattern, matched, named) in [
            ("mimalloc", true, false),
            ("^mimalloc", true, false),
            ("mimalloc|mimalloc-v2", true, true),
            ("^mimalloc-v2$", true, true),
            ("mimalloc.*", true, true),
            ("", true, false),
            ("jemalloc", false, false),
        ] {
            let selection = selection(pattern);
            assert_eq!((selection.takes("mimalloc-v2"), selection.names("mimalloc-v2")), (matched, named), "{pattern}");
        }
        assert!(selection("x").names("mine"), "a worker given by path is named by that");
    }
}

//! From what the user asked for to contenders and cases.

use heapmark::record::Kind;
use heapmark::{Case, Catalogue, Contender, ContenderName, Error, Worker, Workspace, installed};
use regex::Regex;

use crate::args::{ContenderSelection, WorkloadSelection};
use crate::print::say;
use crate::run::Run;

/// The backend that counts; it is asked and never compared.
pub(crate) const COUNTING: &str = "counting";

/// Whether a name passes: matched by some of `within` (or there are none), and by none of `without`.
pub(crate) fn passes(name: &str, within: &[Regex], without: &[Regex]) -> bool {
    let matches = |pattern: &Regex| pattern.is_match(name);
    (within.is_empty() || within.iter().any(matches)) && !without.iter().any(matches)
}

impl ContenderSelection {
    /// Whether this backend is selected.
    pub(crate) fn takes(&self, name: &str) -> bool {
        passes(name, &self.allocator, &self.no_allocator)
    }

    /// Whether this backend is named: a pattern matches its whole name, and not a part that it has in common with others.
    fn names(&self, name: &str) -> bool {
        let whole = |pattern: &Regex| Regex::new(&format!("^(?:{pattern})$")).is_ok_and(|whole| whole.is_match(name));
        self.allocator.iter().any(whole) || self.worker.iter().any(|worker| worker.name == name)
    }

    /// The backends that match and take part only where they are named, which they are not. Of those that are installed, where no
    /// manifest tells, these are the ones that call themselves a handicap. A worker given by path is named by that.
    fn unnamed(&self) -> Result<Vec<String>, Error> {
        let mut names: Vec<String> = if let Some(workspace) = Workspace::find() {
            let backends = workspace.backends()?.into_iter().filter(|backend| backend.opt_in);
            backends.map(|backend| backend.name).collect()
        } else {
            let matching = installed().into_iter().filter(|worker| self.takes(&worker.name));
            let workers = matching.filter(|worker| worker.kind() == Ok(Kind::Handicap));
            workers.map(|worker| worker.name).collect()
        };
        names.retain(|name| self.takes(name) && !self.names(name));
        Ok(names)
    }

    /// The backends that match and lie apart, so that they are built only where they are named, which they are not.
    pub(crate) fn unnamed_apart(&self) -> Result<Vec<String>, Error> {
        let Some(workspace) = Workspace::find() else { return Ok(Vec::new()) };
        let mut names: Vec<String> =
            workspace.backends()?.into_iter().filter(|backend| backend.apart).map(|backend| backend.name).collect();
        names.retain(|name| self.takes(name) && !self.names(name));
        Ok(names)
    }

    /// Builds or finds the workers that `wanted` names; those given by path come last, and hide others of the same name.
    pub(crate) fn workers(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<Worker>, Error> {
        let named = |name: &str| self.worker.iter().any(|worker| worker.name == name);
        let mut workers = match Workspace::find() {
            Some(workspace) => workspace.build(|name| wanted(name) && !named(name))?,
            None => installed().into_iter().filter(|worker| wanted(&worker.name) && !named(&worker.name)).collect(),
        };
        workers.extend(self.worker.iter().cloned());
        if workers.is_empty() {
            return Err(self.nothing()?);
        }
        Ok(workers)
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
}

/// Who takes part in a run: the contenders, and the worker that counts.
pub(crate) fn contenders(run: &Run) -> Result<(Vec<Contender>, Option<Worker>), Error> {
    let selection = &run.contenders;
    let reference = run.reference.as_deref().map(ContenderName::parse).transpose()?;
    let reference_backend = reference.as_ref().map_or("system", |name| name.backend.as_str());
    let plain_reference = reference.as_ref().is_none_or(|name| name.knobs.is_empty());
    let unnamed = selection.unnamed()?;
    if !selection.allocator.is_empty() && !unnamed.is_empty() {
        say(format_args!("left out, since they take part only where `-a` has the whole name: {}", unnamed.join(", ")));
    }
    let selected = |name: &str| selection.takes(name) && !unnamed.iter().any(|unnamed| unnamed == name);
    let takes = |name: &str| name != COUNTING && (selected(name) || (plain_reference && name == reference_backend));
    let wanted = |name: &str| {
        let named = run.with.iter().any(|with| with.backend == name);
        takes(name) || name == COUNTING || name == reference_backend || named
    };
    let workers = selection.workers(wanted)?;
    let mut contenders: Vec<Contender> =
        workers.iter().filter(|worker| takes(&worker.name)).cloned().map(Contender::plain).collect();
    for name in run.with.iter().chain(reference.iter()) {
        if contenders.iter().all(|contender| contender.name != name.to_string()) {
            contenders.push(Contender::resolve(name, &workers)?);
        }
    }
    let counting = workers.into_iter().find(|worker| worker.name == COUNTING);
    Ok((contenders, counting))
}

/// Who is examined: the backends that are selected, of which none counts as a reference, and those named with knobs.
pub(crate) fn examined(selection: &ContenderSelection, with: &[ContenderName]) -> Result<Vec<Contender>, Error> {
    let unnamed = selection.unnamed()?;
    let takes = |name: &str| {
        let is_left_out = unnamed.iter().any(|unnamed| unnamed == name) || (name == COUNTING && !selection.names(name));
        selection.takes(name) && !is_left_out
    };
    let workers = selection.workers(|name| takes(name) || with.iter().any(|with| with.backend == name))?;
    let mut contenders: Vec<Contender> =
        workers.iter().filter(|worker| takes(&worker.name)).cloned().map(Contender::plain).collect();
    for name in with {
        if contenders.iter().all(|contender| contender.name != name.to_string()) {
            contenders.push(Contender::resolve(name, &workers)?);
        }
    }
    Ok(contenders)
}

/// The cases of a run. A parameter goes to every workload that has it, and must fit at least one.
pub(crate) fn cases(run: &Run, catalogue: &Catalogue) -> Result<Vec<Case>, Error> {
    let mut parameters = run.parameters.clone();
    parameters.extend(run.threads.map(|threads| ("threads".to_owned(), threads.to_string())));
    let names = workloads(&run.workloads, catalogue)?;
    let mut used = vec![false; parameters.len()];
    let mut cases = Vec::new();
    for name in names {
        let known = catalogue.find(&name).map(|workload| workload.parameters.as_slice()).unwrap_or_default();
        let mut case = Case::new(name);
        for (used, (key, value)) in used.iter_mut().zip(&parameters) {
            if known.iter().any(|parameter| parameter.name == *key) {
                *used = true;
                case = case.with(key, value);
            }
        }
        catalogue.check(&case)?;
        cases.push(case);
    }
    if let Some(unused) = used.iter().position(|used| !used) {
        let key = &parameters[unused].0;
        return Err(Error::Usage(format!(
            "no selected workload has a parameter {key:?}; see `heapmark list WORKLOAD`"
        )));
    }
    Ok(cases)
}

fn workloads(selection: &WorkloadSelection, catalogue: &Catalogue) -> Result<Vec<String>, Error> {
    let all = || catalogue.workloads.iter().map(|workload| workload.name.clone()).collect::<Vec<_>>();
    let offered = if selection.workload.is_empty() { catalogue.default_workloads() } else { all() };
    let chosen: Vec<String> =
        offered.into_iter().filter(|name| passes(name, &selection.workload, &selection.no_workload)).collect();
    if chosen.is_empty() {
        return Err(Error::NothingSelected(format!(
            "no workload is selected; the reference has {} (--reference chooses another)",
            all().join(", ")
        )));
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_is_named_by_its_whole_name_only() {
        let selection = |pattern: &str| ContenderSelection {
            allocator: vec![Regex::new(pattern).expect("it is a pattern")],
            no_allocator: Vec::new(),
            worker: vec![Worker::at("mine", "/bin/mine")],
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

//! From what the user asked for to contenders and cases.

use heapmark::record::Kind;
use heapmark::{Case, Catalogue, Contender, ContenderName, Error, Worker, Workspace, installed};
use regex::Regex;

use crate::args::{ContenderSelection, WorkloadSelection};
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

    /// The backends that take part only where they are named. Of those that are installed, where no manifest tells, these are
    /// the ones that call themselves a handicap. A worker given by path is named by that.
    fn opt_in(&self) -> Result<Vec<String>, Error> {
        let mut names: Vec<String> = if let Some(workspace) = Workspace::find() {
            let backends = workspace.backends()?.into_iter().filter(|backend| backend.opt_in);
            backends.map(|backend| backend.name).collect()
        } else {
            let workers = installed().into_iter().filter(|worker| worker.kind() == Ok(Kind::Handicap));
            workers.map(|worker| worker.name).collect()
        };
        names.retain(|name| self.worker.iter().all(|worker| worker.name != *name));
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
            let hint = "run inside a heapmark checkout, put heapmark-worker-NAME on PATH, or give --worker NAME=PATH";
            return Err(Error::NothingSelected(format!("no worker is selected or found; {hint}")));
        }
        Ok(workers)
    }
}

/// Who takes part in a run: the contenders, and the worker that counts.
pub(crate) fn contenders(run: &Run) -> Result<(Vec<Contender>, Option<Worker>), Error> {
    let selection = &run.contenders;
    let reference = run.reference.as_deref().map(ContenderName::parse).transpose()?;
    let reference_backend = reference.as_ref().map_or("system", |name| name.backend.as_str());
    let plain_reference = reference.as_ref().is_none_or(|name| name.knobs.is_empty());
    // Whoever names backends gets what matches; else all take part that need not be named.
    let opt_in = if selection.allocator.is_empty() { selection.opt_in()? } else { Vec::new() };
    let selected = |name: &str| selection.takes(name) && !opt_in.iter().any(|opt_in| opt_in == name);
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

/// Who is examined: the backends that are selected, of which none counts as a reference, and those named with knobs. Whoever
/// names no backends gets all that need not be named.
pub(crate) fn examined(selection: &ContenderSelection, with: &[ContenderName]) -> Result<Vec<Contender>, Error> {
    let opt_in = if selection.allocator.is_empty() { selection.opt_in()? } else { Vec::new() };
    let is_named = |name: &str| !selection.allocator.is_empty() || selection.worker.iter().any(|w| w.name == name);
    let takes = |name: &str| {
        let must_be_named = name == COUNTING || opt_in.iter().any(|opt_in| opt_in == name);
        selection.takes(name) && (is_named(name) || !must_be_named)
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

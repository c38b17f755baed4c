//! Who takes part in a bench, and in what.

use std::path::PathBuf;

use heapmark::{Case, Comparison, Error, Settings, Worker, Workspace};
use heapmark_criterion::{Arguments, Mode};

use crate::allocators::{COUNTING, allocators};

/// The workers, built, and where things lie.
pub(crate) struct Setup {
    pub(crate) workspace: Workspace,
    /// The folder that Cargo builds into.
    pub(crate) target: PathBuf,
    pub(crate) workers: Vec<Worker>,
}

impl Setup {
    /// Finds the workspace and builds who takes part; a no-op where it is fresh.
    pub(crate) fn build() -> Result<Self, Error> {
        let workspace = Workspace::find().ok_or_else(|| {
            Error::Usage(
                "no heapmark workspace is here or where this program was built; run `cargo bench` in a clone".into(),
            )
        })?;
        let target = workspace.target_folder()?;
        let mut workers =
            workspace.build(|name| allocators().iter().any(|wanted| wanted == name) || name == COUNTING)?;
        for name in allocators() {
            if !workers.iter().any(|worker| worker.name == *name) {
                let reason = format!("the workspace at {} has no such worker", workspace.root().display());
                workers.push(Worker::missing(name, reason));
            }
        }
        Ok(Self { workspace, target, workers })
    }

    /// A comparison of them.
    pub(crate) fn comparison(&self, settings: Settings) -> Comparison {
        let contenders = allocators().iter().filter_map(|name| self.workers.iter().find(|worker| worker.name == *name));
        let comparison = Comparison::of(contenders.cloned()).settings(settings).workspace(self.workspace.root());
        match self.workers.iter().find(|worker| worker.name == COUNTING) {
            Some(worker) => comparison.counting(worker.clone()),
            None => comparison,
        }
    }
}

/// The name of a function: `BENCH/WORKLOAD/ALLOCATOR`.
pub(crate) fn function_name(bench: &str, case: &Case, allocator: &str) -> String {
    format!("{bench}/{case}/{allocator}")
}

/// The default set; with a filter, every workload that it matches; to list, all there are.
pub(crate) fn chosen(comparison: &Comparison, arguments: &Arguments, bench: &str) -> Result<Vec<Case>, Error> {
    let catalogue = comparison.catalogue()?;
    let usual = catalogue.default_workloads();
    let everything = arguments.is_filtered() || arguments.mode() == Mode::List;
    if arguments.mode() == Mode::List && !arguments.is_filtered() {
        eprintln!("without a filter, `cargo bench` measures {}", usual.join(", "));
    }
    let names = catalogue.workloads.into_iter().map(|workload| workload.name);
    let names: Vec<String> = if everything { names.collect() } else { usual };
    let is_chosen =
        |case: &Case| allocators().iter().any(|allocator| arguments.selects(&function_name(bench, case, allocator)));
    Ok(names.into_iter().map(Case::new).filter(is_chosen).collect())
}

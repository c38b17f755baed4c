//! Where things lie.

use std::path::{Path, PathBuf};

use crate::setup::Setup;

/// The folders of a bench.
pub(crate) struct Place<'a> {
    /// The workspace.
    root: &'a Path,
    /// The folder that Cargo builds into.
    target: &'a Path,
}

impl<'a> Place<'a> {
    pub(crate) fn of(setup: &'a Setup) -> Self {
        Self { root: setup.workspace.root(), target: &setup.target }
    }

    /// The record of a bench, as seen from the workspace.
    pub(crate) fn record(&self, bench: &str) -> String {
        self.show(&record_path(self.target, bench))
    }

    /// Criterion's start page, if there is one.
    pub(crate) fn pages(&self) -> Option<String> {
        let home = std::env::var_os("CRITERION_HOME").map(PathBuf::from);
        let page = home.unwrap_or_else(|| self.target.join("criterion")).join("report").join("index.html");
        page.exists().then(|| self.show(&page))
    }

    fn show(&self, path: &Path) -> String {
        path.strip_prefix(self.root).unwrap_or(path).display().to_string()
    }
}

/// Where the record of a bench lies.
pub(crate) fn record_path(target: &Path, bench: &str) -> PathBuf {
    target.join("heapmark").join(format!("{bench}.jsonl"))
}

//! What a worker is started with besides its program: the same for all samples of a contender.

use std::collections::BTreeMap;
use std::path::Path;

use crate::preload::Preload;
use crate::{Contender, HugePages, Status};

/// How the process of a contender is set up before its program runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Launch {
    /// Variables that turn the knobs of its allocator.
    pub(crate) variables: BTreeMap<String, String>,
    /// The library that replaces its malloc.
    pub(crate) preload: Option<Preload>,
    /// What it may do with huge pages, where that is asked for.
    pub(crate) huge_pages: Option<HugePages>,
}

impl Launch {
    /// As the contender needs it to run at all; its knobs are turned once the worker has described them. Fails where the
    /// contender asks for what cannot be had here.
    pub(crate) fn of(contender: &Contender, program: &Path) -> Result<Self, Status> {
        let huge_pages = HugePages::asked_for(&contender.knobs)?;
        let preload = contender.worker.preload.as_deref().map(|library| Preload::of(library, program)).transpose()?;
        Ok(Self { variables: BTreeMap::new(), preload, huge_pages })
    }

    /// The whole environment of the process.
    pub(crate) fn environment(&self) -> BTreeMap<String, String> {
        let mut environment = self.variables.clone();
        environment.extend(self.preload.iter().flat_map(Preload::variables));
        environment
    }
}

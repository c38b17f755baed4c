//! Which workers a run is about: the standard ones, or those of a family of workloads that has its own.

use heapmark::configuration::Configuration;
use heapmark::record::Record;
use heapmark::{Case, Error, Surroundings};

use crate::run::Run;

/// The family whose workloads were asked for, if it has workers of its own. Such a family takes part where it is named: by a
/// pattern with its name in it, by a set that is called after it or consists of its workloads, or by the record of a run that goes on.
/// Fails where others are asked for beside it.
pub(crate) fn asked_for(run: &Run) -> Result<Option<String>, Error> {
    let asked: Vec<Asked> = match &run.resume {
        Some(path) => Record::read_unfinished(path)?.planned.iter().map(Asked::by_case).collect(),
        None if run.sets.is_empty() => {
            run.workloads.workload.iter().map(|p| Asked::By(p.as_str().to_owned())).collect()
        }
        None => {
            let configuration = run.contenders.configuration()?;
            run.sets.iter().flat_map(|set| Asked::by_set(set, configuration)).collect()
        }
    };
    if asked.is_empty() {
        return Ok(None);
    }
    let families = Surroundings::find()?.families()?;
    let Some(family) = families.into_iter().find(|family| asked.iter().any(|asked| asked.names(family))) else {
        return Ok(None);
    };
    match asked.iter().find(|asked| !asked.names(&family)) {
        Some(other) => Err(Error::Usage(format!(
            "workloads of {family} have workers of their own, so a run has them or others: leave out {}",
            other.text()
        ))),
        None => Ok(Some(family)),
    }
}

/// Fails where no family of this name has workers of its own, with those that have.
pub(crate) fn check(family: &str) -> Result<(), Error> {
    let families = Surroundings::find()?.families()?;
    if families.iter().any(|known| known == family) {
        return Ok(());
    }
    let known = if families.is_empty() { "none has".to_owned() } else { families.join(", ") };
    Err(Error::Usage(format!("no family {family:?} has workers of its own; there are: {known}")))
}

/// What says which workloads are wanted.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    /// A pattern, or the name of a set of the catalogue.
    By(String),
    /// A workload.
    Workload(String),
}

impl Asked {
    fn by_case(case: &Case) -> Self {
        Self::Workload(case.workload.clone())
    }

    /// A set of the configuration file has workloads; what one of the catalogue has is only known from its name.
    fn by_set(set: &str, configuration: &Configuration) -> Vec<Self> {
        let own = configuration.workload_sets().find(|(name, _)| *name == set);
        own.map_or_else(|| vec![Self::By(set.to_owned())], |(_, cases)| cases.iter().map(Self::by_case).collect())
    }

    fn names(&self, family: &str) -> bool {
        match self {
            Self::By(text) => text.contains(family),
            Self::Workload(name) => is_of(name, family),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::By(text) | Self::Workload(text) => text,
        }
    }
}

/// Whether a workload is of this family, by its name.
pub(crate) fn is_of(workload: &str, family: &str) -> bool {
    workload.split_once('/').is_some_and(|(its, _)| its == family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_named_by_patterns_sets_and_workloads() {
        let by = |text: &str| Asked::By(text.to_owned());
        for text in ["service", "service/hello", "^service/(hello|rpc)$", "service-quick"] {
            assert!(by(text).names("service"), "{text}");
        }
        for text in ["hello", "json/", ""] {
            assert!(!by(text).names("service"), "{text}");
        }
        assert!(Asked::by_case(&Case::new("service/hello")).names("service"));
        assert!(!Asked::by_case(&Case::new("json/service")).names("service"));
        assert!(!is_of("service", "service"));
    }
}

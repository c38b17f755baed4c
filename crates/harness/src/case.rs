//! A workload with its parameters: what is measured.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Error;

/// A workload with those of its parameters that differ from their defaults.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Case {
    /// The workload's name, `family/name`.
    pub workload: String,
    /// Values by the parameter's name.
    pub parameters: BTreeMap<String, String>,
}

impl Case {
    /// A workload with its defaults.
    pub fn new(workload: impl Into<String>) -> Self {
        Self { workload: workload.into(), parameters: BTreeMap::new() }
    }

    /// Whether it is a control: work in which no allocator can differ from another, so that whoever does says something of the
    /// machine, or of the programs, and nothing of allocators.
    pub fn is_control(&self) -> bool {
        self.workload.starts_with("control/")
    }

    /// The same with one parameter set.
    #[must_use]
    pub fn with(mut self, parameter: impl Into<String>, value: impl fmt::Display) -> Self {
        self.parameters.insert(parameter.into(), value.to_string());
        self
    }

    /// Reads `family/name?parameter=value&parameter=value`, as cases are shown. Fails with what the form should be.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong =
            || Error::Usage(format!("{text:?} is not a workload: write NAME or NAME?parameter=value&parameter=value"));
        let (name, parameters) = match text.split_once('?') {
            Some((name, parameters)) => (name, Some(parameters)),
            None => (text, None),
        };
        let mut case = Self::new(name);
        for pair in parameters.into_iter().flat_map(|parameters| parameters.split('&')) {
            let (parameter, value) = pair.split_once('=').ok_or_else(wrong)?;
            if parameter.is_empty() || value.is_empty() || case.parameters.contains_key(parameter) {
                return Err(wrong());
            }
            case = case.with(parameter, value);
        }
        if name.is_empty() { Err(wrong()) } else { Ok(case) }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.workload)?;
        for (index, (name, value)) in self.parameters.iter().enumerate() {
            write!(f, "{}{name}={value}", if index == 0 { '?' } else { '&' })?;
        }
        Ok(())
    }
}

/// The workloads that a worker offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalogue {
    /// In the worker's order.
    pub workloads: Vec<WorkloadInfo>,
    /// Named choices among them.
    pub sets: Vec<SetInfo>,
}

/// A named choice of workloads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetInfo {
    /// Its name; `default` is what runs when nothing else is asked for.
    pub name: String,
    /// What it is for, in a line.
    pub summary: String,
    /// The names of its workloads.
    pub workloads: Vec<String>,
}

/// One workload of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkloadInfo {
    /// `family/name`.
    pub name: String,
    /// What it does, in a line.
    pub summary: String,
    /// What one unit is, in the singular.
    pub unit: String,
    /// What it stresses and what to read from it.
    pub details: String,
    /// Its parameters.
    pub parameters: Vec<ParameterInfo>,
    /// For a workload about memory over time: after how much quiet time, in milliseconds, memory is read again once
    /// everything was dropped. None for others.
    #[serde(default)]
    pub settle_ms: Vec<u64>,
}

impl WorkloadInfo {
    /// Whether its memory over time is what it is about.
    pub fn is_over_time(&self) -> bool {
        !self.settle_ms.is_empty()
    }
}

/// One parameter of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParameterInfo {
    /// Its name.
    pub name: String,
    /// What it sets, in a line.
    pub summary: String,
    /// The value if none is given.
    pub default: String,
    /// What values it takes.
    pub values: ParameterValues,
}

/// What values a parameter takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParameterValues {
    /// A whole number.
    Number {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// One of these words.
    Choice(Vec<String>),
}

impl ParameterValues {
    fn allow(&self, value: &str) -> bool {
        match self {
            Self::Number { min, max } => value.parse().is_ok_and(|number: u64| (*min..=*max).contains(&number)),
            Self::Choice(words) => words.iter().any(|word| word == value),
        }
    }
}

impl fmt::Display for ParameterValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { min, max } => write!(f, "a whole number from {min} to {max}"),
            Self::Choice(words) => write!(f, "one of {}", words.join(", ")),
        }
    }
}

impl Catalogue {
    /// The workload of this name.
    pub fn find(&self, name: &str) -> Option<&WorkloadInfo> {
        self.workloads.iter().find(|workload| workload.name == name)
    }

    /// The names of the workloads that run when nothing else is asked for: the set `default`, or all if there is none.
    pub fn default_workloads(&self) -> Vec<String> {
        let set = self.sets.iter().find(|set| set.name == "default");
        set.map_or_else(
            || self.workloads.iter().map(|workload| workload.name.clone()).collect(),
            |set| set.workloads.clone(),
        )
    }

    /// Whether the case can be asked of this worker. Fails with one line that says what would be possible.
    pub fn check(&self, case: &Case) -> Result<&WorkloadInfo, Error> {
        let workload = self.find(&case.workload).ok_or_else(|| {
            let known: Vec<_> = self.workloads.iter().map(|workload| workload.name.as_str()).collect();
            Error::Usage(format!("no workload is named {:?}; there are {}", case.workload, known.join(", ")))
        })?;
        for (name, value) in &case.parameters {
            let parameter = workload.parameters.iter().find(|parameter| parameter.name == *name).ok_or_else(|| {
                let known: Vec<_> = workload.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
                Error::Usage(format!("{} has no parameter {name:?}; it has {}", case.workload, known.join(", ")))
            })?;
            if !parameter.values.allow(value) {
                let allowed = &parameter.values;
                return Err(Error::Usage(format!("{}: {name}={value:?} is not {allowed}", case.workload)));
            }
        }
        Ok(workload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue() -> Catalogue {
        let parameter = |name: &str, values| ParameterInfo {
            name: name.into(),
            summary: String::new(),
            default: String::new(),
            values,
        };
        Catalogue {
            sets: Vec::new(),
            workloads: vec![WorkloadInfo {
                name: "graph/tree".into(),
                summary: String::new(),
                unit: "tree".into(),
                details: String::new(),
                parameters: vec![
                    parameter("depth", ParameterValues::Number { min: 1, max: 20 }),
                    parameter("shape", ParameterValues::Choice(vec!["flat".into(), "tall".into()])),
                ],
                settle_ms: Vec::new(),
            }],
        }
    }

    #[test]
    fn a_case_is_read_as_it_is_shown() {
        for text in ["graph/tree", "graph/tree?depth=20", "graph/tree?depth=20&shape=tall"] {
            assert_eq!(Case::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "?depth=1", "a?", "a?b", "a?b=", "a?=1", "a?b=1&", "a?b=1&b=2"] {
            let error = Case::parse(text).unwrap_err().to_string();
            assert!(error.contains("NAME?parameter=value") && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn what_fits_is_accepted() {
        for case in [Case::new("graph/tree"), Case::new("graph/tree").with("depth", 20).with("shape", "tall")] {
            assert!(catalogue().check(&case).is_ok(), "{case}");
        }
    }

    #[test]
    fn what_does_not_is_one_line_that_names_what_would() {
        for (case, hint) in [
            (Case::new("graph/bush"), "graph/tree"),
            (Case::new("a/b:c\"*"), "graph/tree"),
            (Case::new("graph/tree").with("width", 1), "depth, shape"),
            (Case::new("graph/tree").with("depth", 0), "from 1 to 20"),
            (Case::new("graph/tree").with("depth", "1e3"), "from 1 to 20"),
            (Case::new("graph/tree").with("depth", "line\nfeed"), "from 1 to 20"),
            (Case::new("graph/tree").with("shape", "round"), "flat, tall"),
        ] {
            let error = catalogue().check(&case).unwrap_err().to_string();
            assert!(error.contains(hint) && !error.contains('\n'), "{error}");
        }
    }
}

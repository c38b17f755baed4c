//! What is compared: a backend, perhaps with some knobs turned.

use std::fmt;
use std::path::PathBuf;

use crate::Error;

/// A program that can be measured, under the name it goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// The backend's name, such as `jemalloc`.
    pub name: String,
    /// The program, or why there is none.
    pub program: Result<PathBuf, String>,
}

impl Worker {
    /// The program at `path`, under this name.
    pub fn at(name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), program: Ok(path.into()) }
    }
}

/// A backend and its configuration, as given: `jemalloc` or `jemalloc@dirty_decay_ms:0,narenas:1`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ContenderName {
    /// The backend.
    pub backend: String,
    /// Names and values of its knobs, in the order given.
    pub knobs: Vec<(String, String)>,
}

impl ContenderName {
    /// Reads `NAME` or `NAME@key:value,…`. Fails with what the form should be.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let form = "write NAME or NAME@knob:value,knob:value";
        let wrong = |why: &str| Error::Usage(format!("{text:?} is not a contender: {why}; {form}"));
        let (backend, knobs) = match text.split_once('@') {
            Some((backend, knobs)) => (backend, Some(knobs)),
            None => (text, None),
        };
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'))
        };
        if !is_name(backend) {
            return Err(wrong("a name has letters, digits, `-`, `_`, `.` and `+`"));
        }
        let mut pairs: Vec<(String, String)> = Vec::new();
        for pair in knobs.into_iter().flat_map(|knobs| knobs.split(',')) {
            let (key, value) = pair.split_once(':').ok_or_else(|| wrong("a knob lacks its `:value`"))?;
            if !is_name(key) || value.is_empty() {
                return Err(wrong("a knob lacks its name or value"));
            }
            if pairs.iter().any(|(seen, _)| seen == key) {
                return Err(wrong("a knob is set twice"));
            }
            pairs.push((key.to_owned(), value.to_owned()));
        }
        Ok(Self { backend: backend.to_owned(), knobs: pairs })
    }
}

impl fmt::Display for ContenderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.backend)?;
        for (index, (key, value)) in self.knobs.iter().enumerate() {
            write!(f, "{}{key}:{value}", if index == 0 { '@' } else { ',' })?;
        }
        Ok(())
    }
}

/// A contender with the worker that serves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contender {
    /// What it is called in records and tables.
    pub name: String,
    /// The program.
    pub worker: Worker,
    /// Names and values of its knobs.
    pub knobs: Vec<(String, String)>,
}

impl Contender {
    /// A worker as it is, without knobs.
    pub fn plain(worker: Worker) -> Self {
        Self { name: worker.name.clone(), worker, knobs: Vec::new() }
    }

    /// Finds the worker for a name among `workers`. Fails with the names there are.
    pub fn resolve(name: &ContenderName, workers: &[Worker]) -> Result<Self, Error> {
        let worker = workers.iter().find(|worker| worker.name == name.backend).ok_or_else(|| {
            let known: Vec<_> = workers.iter().map(|worker| worker.name.as_str()).collect();
            Error::Usage(format!("no backend is named {:?}; there are {}", name.backend, known.join(", ")))
        })?;
        Ok(Self { name: name.to_string(), worker: worker.clone(), knobs: name.knobs.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_a_round_trip() {
        for text in
            ["system", "jemalloc@dirty_decay_ms:0", "jemalloc@narenas:1,tcache:false", "mimalloc-v2@purge_delay:-1"]
        {
            assert_eq!(ContenderName::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_name_is_refused_in_one_line() {
        for text in ["", "@", "a@", "a@b", "a@b:", "a@:c", "a/b", "a\"b", "a*", "a b", "a@b:1,b:2", "a@b:1,", "a:b"] {
            let error = ContenderName::parse(text).unwrap_err().to_string();
            assert!(error.contains("NAME@knob:value") && !error.contains('\n'), "{error}");
        }
    }
}

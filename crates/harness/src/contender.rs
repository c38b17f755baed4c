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
    /// A library that the dynamic linker loads into the program first, to replace malloc: the allocator is then the library's.
    pub preload: Option<PathBuf>,
}

impl Worker {
    /// The program at `path`, under this name.
    pub fn at(name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), program: Ok(path.into()), preload: None }
    }

    /// A worker of which there is no program, and why.
    pub fn missing(name: impl Into<String>, why: impl Into<String>) -> Self {
        Self { name: name.into(), program: Err(why.into()), preload: None }
    }

    /// The same program under another name, with this library in the place of its malloc. It has to be a worker of the system
    /// allocator: one that brings its own would not notice.
    #[must_use]
    pub fn preloading(self, name: impl Into<String>, library: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), preload: Some(library.into()), ..self }
    }
}

/// Whether contenders may be called so: what a name consists of never has to be quoted on a command line.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'))
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
        Self::read(text).map_err(Error::Usage)
    }

    /// The same, failing with the bare reason.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let (backend, knobs) = match text.split_once('@') {
            Some((backend, knobs)) => (backend, Some(knobs)),
            None => (text, None),
        };
        if !is_name(backend) {
            return Err(not_a_contender(text, "a name has letters, digits, `-`, `_`, `.` and `+`"));
        }
        let knobs = knobs.map_or_else(|| Ok(Vec::new()), read_knobs).map_err(|why| not_a_contender(text, why))?;
        Ok(Self { backend: backend.to_owned(), knobs })
    }

    /// The same with more knobs. Fails where one of them is set already.
    pub fn with_knobs(mut self, more: &[(String, String)]) -> Result<Self, Error> {
        if let Some((knob, _)) = more.iter().find(|(knob, _)| self.knobs.iter().any(|(seen, _)| seen == knob)) {
            return Err(Error::Usage(not_a_contender(&self.to_string(), &format!("{knob} would be set twice"))));
        }
        self.knobs.extend_from_slice(more);
        Ok(self)
    }
}

/// Why a text names no contender, and what one looks like.
pub(crate) fn not_a_contender(text: &str, why: &str) -> String {
    format!("{text:?} is not a contender: {why}; write NAME or NAME@knob:value,knob:value")
}

/// Reads `key:value,…`.
pub(crate) fn read_knobs(text: &str) -> Result<Vec<(String, String)>, &'static str> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for pair in text.split(',') {
        let (key, value) = pair.split_once(':').ok_or("a knob lacks its `:value`")?;
        if !is_name(key) || value.is_empty() {
            return Err("a knob lacks its name or value");
        }
        if pairs.iter().any(|(seen, _)| seen == key) {
            return Err("a knob is set twice");
        }
        pairs.push((key.to_owned(), value.to_owned()));
    }
    Ok(pairs)
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

/// A contender that is asked for, under the name that it takes part under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedContender {
    /// What it is called: its backend and knobs spelt out, or a name of its own.
    pub name: String,
    /// What it is.
    pub is: ContenderName,
}

impl NamedContender {
    /// Whether it is a backend as it is.
    pub fn is_plain(&self) -> bool {
        self.is.knobs.is_empty() && self.name == self.is.backend
    }

    /// Finds the worker for it among `workers`. Fails with the names there are.
    pub fn resolve(&self, workers: &[Worker]) -> Result<Contender, Error> {
        Ok(Contender { name: self.name.clone(), ..Contender::resolve(&self.is, workers)? })
    }
}

impl From<ContenderName> for NamedContender {
    fn from(is: ContenderName) -> Self {
        Self { name: is.to_string(), is }
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
    fn knobs_are_added_but_not_set_twice() {
        let one = ContenderName::parse("a@b:1").unwrap();
        let two = one.clone().with_knobs(&[("c".into(), "2".into())]).unwrap();
        assert_eq!(two.to_string(), "a@b:1,c:2");
        let error = one.with_knobs(&[("b".into(), "2".into())]).unwrap_err().to_string();
        assert!(error.contains("b would be set twice"), "{error}");
    }

    #[test]
    fn what_is_no_name_is_refused_in_one_line() {
        for text in ["", "@", "a@", "a@b", "a@b:", "a@:c", "a/b", "a\"b", "a*", "a b", "a@b:1,b:2", "a@b:1,", "a:b"] {
            let error = ContenderName::parse(text).unwrap_err().to_string();
            assert!(error.contains("NAME@knob:value") && !error.contains('\n'), "{error}");
        }
    }
}

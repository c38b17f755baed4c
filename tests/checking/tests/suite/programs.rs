//! The programs of `tests/checked`: built once, in release mode as the workers are, and run with what they have to do.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock};
use std::thread;

use heapmark_checking::Line;

const PACKAGE: &str = "heapmark-checked";

/// Where the workspace is.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The programs by the name of their backend.
pub(crate) fn programs() -> &'static BTreeMap<String, PathBuf> {
    static PROGRAMS: OnceLock<BTreeMap<String, PathBuf>> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root()).args(["build", "--release", "-p", PACKAGE, "--bins"]);
        cargo.arg("--message-format=json-render-diagnostics").stdin(Stdio::null()).stderr(Stdio::inherit());
        let output = cargo.output().expect("Cargo runs");
        assert!(output.status.success(), "the programs cannot be built");
        let text = String::from_utf8(output.stdout).expect("Cargo's messages are text");
        let messages = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let program = |message: serde_json::Value| {
            let backend = message["target"]["name"].as_str()?.strip_prefix(PACKAGE)?.strip_prefix('-')?.to_owned();
            Some((backend, message["executable"].as_str()?.into()))
        };
        messages.filter_map(program).collect()
    })
}

/// What a program is to do.
#[derive(Clone, Debug)]
pub(crate) struct Errand<'a> {
    pub(crate) backend: &'a str,
    pub(crate) workload: &'a str,
    /// What fresh blocks are filled with.
    pub(crate) fill: u8,
    /// Parameters that stay the same in all variants.
    pub(crate) fixed: &'a [&'a str],
    /// The fault of a broken allocator.
    pub(crate) fault: Option<&'a str>,
}

impl Errand<'_> {
    /// Runs the program. Fails with how it ended, and the last line that it said on standard error.
    pub(crate) fn run(&self) -> Result<Vec<Line>, String> {
        let mut program = Command::new(&programs()[self.backend]);
        program.env_clear().args([self.workload, &self.fill.to_string()]).args(self.fixed).stdin(Stdio::null());
        program.envs(self.fault.map(|fault| ("HEAPMARK_BROKEN_FAULT", fault)));
        let output = program.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{}: {}", output.status, errors.lines().last().unwrap_or("without a word")));
        }
        let text = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
        let (first, lines) = text.split_once('\n').ok_or("it said nothing")?;
        if first.split('\t').next() != Some(self.backend) {
            return Err(format!("it says that it is {first}"));
        }
        lines.lines().map(str::parse).collect()
    }
}

/// Does something with all of these, on as many threads as there are processors, and returns what came of each.
pub(crate) fn in_parallel<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let queue = Mutex::new(things.iter().enumerate());
    let done = Mutex::new(Vec::new());
    let next = || queue.lock().expect("nobody panics with it").next();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                while let Some((index, thing)) = next() {
                    let result = work(thing);
                    done.lock().expect("nobody panics with it").push((index, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("nobody panics with it");
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

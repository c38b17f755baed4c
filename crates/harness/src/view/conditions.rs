//! Where a run was made, in a sentence: what makes its figures differ from those of other machines.

use super::Screen;
use super::columns::wrapped;
use crate::record::Record;

/// The machine, its kernel and mode of huge pages, and the memory that a worker may have; nothing where the record does not say.
pub fn conditions(record: &Record, screen: &Screen) -> Option<String> {
    let run = record.run.as_ref()?;
    let machine = &run.machine;
    let or_absent = |value: &Option<String>| value.clone().unwrap_or_else(|| "n/a".into());
    let cores = machine.cores.map_or("n/a".into(), |cores| cores.to_string());
    let limit = run.settings.memory_limit.map_or_else(String::new, |limit| format!(", {limit} at most for a worker"));
    let sentence = format!(
        "Made on {}, {cores} cores, {} on {}, transparent huge pages {}{limit}.",
        or_absent(&machine.cpu),
        or_absent(&machine.kernel),
        machine.architecture,
        or_absent(&machine.thp)
    );
    Some(wrapped(&sentence, 0, screen).join("\n"))
}

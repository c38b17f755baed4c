//! What a project says once and for all in its `heapmark.toml`: contenders with names, workers and libraries of its own, sets of
//! either, parameters. And the sets of contenders that come with heapmark.
//!
//! Named contenders take part where they are named; `docs/heapmark-toml.md` explains every key.

mod file;
mod forms;
#[cfg(test)]
mod page;
mod sets;

pub use file::{Configuration, FILE_NAME, Run};
pub use forms::{Member, Parameters};
pub use sets::{READY_MADE, ReadyMade};

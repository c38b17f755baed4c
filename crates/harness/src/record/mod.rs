//! The record of a run: JSON Lines, one row per fact, written as it happens. Everything shown is a view of it.
//!
//! `record.schema.json` in this crate's folder says in JSON Schema what a line is, for readers in other languages.

mod file;
mod rows;
#[cfg(test)]
mod schema;

pub use file::{Record, RecordFile};
pub use rows::{
    BlockRow, CaseRow, ContenderRow, CountsRow, EndRow, ErrorsRow, IdentityRow, Kind, KnobValue, LatencyRow, MemoryRow,
    PlanRow, Role, Row, RunRow, SCHEMA, Sample, SettledRow, Turns,
};

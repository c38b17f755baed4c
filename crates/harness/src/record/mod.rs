//! The record of a run: JSON Lines, one row per fact, written as it happens. Everything shown is a view of it.

mod file;
mod rows;

pub use file::{Record, RecordFile};
pub use rows::{
    BlockRow, CaseRow, ContenderRow, CountsRow, EndRow, IdentityRow, Kind, KnobValue, MemoryRow, Role, Row, RunRow,
    SCHEMA, Sample, Turns,
};

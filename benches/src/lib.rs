//! The benches of the standard workloads.
//!
//! `cargo bench` measures the catalogue's default set; a filter reaches every workload: `cargo bench -- graph/dag`. Each
//! criterion bench is a program of its own for one metric. The last bench, without criterion, shows the whole comparison.

mod allocators;
mod kept;
mod place;
mod progress;
mod report;
mod run;
mod setup;
mod verdicts;

pub use run::run;
pub use verdicts::verdicts;

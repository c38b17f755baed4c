//! The benches of the standard workloads.
//!
//! `cargo bench` measures the catalogue's default set; a filter reaches every workload: `cargo bench -- graph/dag`. Each
//! criterion bench is a program of its own for one metric. The last bench, without criterion, shows the whole comparison.

mod kept;
mod place;
mod progress;
mod report;
mod run;
mod setup;
mod verdicts;

pub use run::run;
pub use verdicts::verdicts;

/// Who takes part, the reference first.
pub const ALLOCATORS: [&str; 4] = ["system", "mimalloc", "jemalloc", "snmalloc"];

/// Who is asked how much is allocated, and not compared.
pub const COUNTING: &str = "counting";

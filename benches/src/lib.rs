//! The criterion benches of the standard workloads.
//!
//! `cargo bench` measures the catalogue's default set; a filter reaches every workload: `cargo bench -- graph/dag`. Each
//! bench is a program of its own for one metric, and ends with a table of both.

mod progress;
mod report;
mod run;

pub use run::run;

/// Who takes part, the reference first.
pub const ALLOCATORS: [&str; 4] = ["system", "mimalloc", "jemalloc", "snmalloc"];

/// Who is asked how much is allocated, and not compared.
pub const COUNTING: &str = "counting";

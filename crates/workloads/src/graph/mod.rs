//! The `graph/…` family: object graphs that programs build, rewire, hand on and drop.
//!
//! Sizes are totals over all threads, so that a workload keeps about the same amount of memory alive whatever the number
//! of threads, and runs with different numbers of threads can be compared.

mod aged;
mod dag;
mod fork_join;
mod handoff;
mod records;
mod text;
mod tree;

pub(crate) use aged::Aged;
pub(crate) use dag::Dag;
pub(crate) use fork_join::ForkJoin;
pub(crate) use handoff::Handoff;
pub(crate) use records::Records;
pub(crate) use tree::Tree;

//! Tests of the harness with workers of this package, sound ones and faulty ones.

mod bad_input;
mod ceiling;
mod counting;
mod determinism;
mod faults;
mod memory;
mod orphans;
mod processes;
mod record;
mod requests;
mod scene;
mod schema;
mod soundness;
mod versions;

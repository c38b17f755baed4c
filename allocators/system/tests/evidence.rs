//! Runs the tests of how evidence is weighed, which stand beside the code.
#![expect(dead_code, reason = "only the tests inside are wanted here")]

#[path = "../src/build_id.rs"]
mod build_id;
#[path = "../src/glibc.rs"]
mod glibc;
#[path = "../src/mapping.rs"]
mod mapping;
#[path = "../src/proof.rs"]
mod proof;

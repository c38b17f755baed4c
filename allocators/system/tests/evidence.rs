//! Runs the tests of how evidence is weighed, which stand beside the code.
#![expect(dead_code, reason = "only the tests inside are wanted here")]

#[path = "../src/glibc.rs"]
mod glibc;
#[path = "../src/proof.rs"]
mod proof;

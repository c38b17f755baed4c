//! Tests of the harness with workers of this package, sound ones and faulty ones.

mod faults;
mod scene;

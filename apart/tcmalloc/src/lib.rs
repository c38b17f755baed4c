//! tcmalloc: Google's allocator, with caches per thread or per CPU in front of a heap that thinks in huge pages.
//!
//! The library is for workers of other catalogues: [`IDENTITY`] goes with [`TCMalloc`] as the crate brings it, with caches per thread.
//! Caches per CPU ([`PERCPU`]) need a program that prepares for them before it starts, as `src/percpu/rseq.rs` does.

mod extension;
mod identity;
mod proof;
mod statistics;

pub use identity::{IDENTITY, PERCPU};
pub use tcmalloc_better::TCMalloc;

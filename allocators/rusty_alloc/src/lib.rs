//! `rusty_alloc`: mimalloc's design of version 2, written anew in Rust.
//!
//! It reads `MIMALLOC_*` where its own `RUSTY_ALLOC_*` are not set. Workers are started without either.
//!
//! The library is for workers of other catalogues: [`IDENTITY`] goes with [`RustyAlloc`].

mod identity;
mod proof;

pub use identity::IDENTITY;
pub use rusty_alloc_api::RustyAlloc;

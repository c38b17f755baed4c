//! The system allocator: what a Rust program uses unless it says otherwise. On Linux, glibc's malloc.
//!
//! The library is for workers of other catalogues: [`IDENTITY`] goes with [`System`].

mod build_id;
mod glibc;
mod identity;
mod mapping;
mod proof;

pub use std::alloc::System;

pub use identity::IDENTITY;

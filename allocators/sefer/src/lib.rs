//! sefer-alloc: heaps of threads over segments of 4 MiB, in Rust, with the features that it recommends for services (`production`).
//!
//! The library is for workers of other catalogues: [`IDENTITY`] goes with [`SeferAlloc`].

mod identity;
mod proof;

pub use identity::IDENTITY;
pub use sefer_alloc::SeferAlloc;

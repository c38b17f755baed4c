//! mimalloc, version 3: Microsoft's allocator of sharded free lists.
//!
//! The library is for workers of other catalogues: [`IDENTITY`] goes with [`MiMalloc`], and [`SECURE`] where the crate `mimalloc`
//! was built with its feature `secure`.

mod identity;
mod options;
mod proof;

pub use identity::{IDENTITY, SECURE};
pub use mimalloc::MiMalloc;

//! mimalloc, version 3: Microsoft's allocator of sharded free lists.
//!
//! The library is for workers of other catalogues: [`IDENTITY`] goes with [`MiMalloc`].

mod identity;
mod options;
mod proof;

pub use identity::IDENTITY;
pub use mimalloc::MiMalloc;

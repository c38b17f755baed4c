//! mimalloc, version 2, which is kept up beside version 3: segments of pages, where version 3 has pages only.
//!
//! The library is for workers of other catalogues: [`IDENTITY`] goes with [`MiMalloc`].

mod identity;
mod options;
mod proof;
mod statistics;

pub use identity::IDENTITY;
pub use mimalloc::MiMalloc;

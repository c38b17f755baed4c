//! jemalloc: arenas with thread caches in front of them, begun by Jason Evans; through the crate of the `tikv` project.
//!
//! The library is for workers of other catalogues: [`IDENTITY`] goes with [`Jemalloc`].

mod identity;
mod mallctl;
mod proof;

pub use identity::IDENTITY;
pub use tikv_jemallocator::Jemalloc;

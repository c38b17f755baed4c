//! `hardened_malloc`: the allocator of `GrapheneOS`, built to make heap corruption hard to exploit, at a price.
//!
//! The library is for workers of other catalogues: [`IDENTITY`] goes with [`HardenedMalloc`], and [`LIGHT`] where the crate
//! `hardened-malloc` was built with its feature `light`.

mod identity;
mod proof;
mod purge;

pub use hardened_malloc::HardenedMalloc;
pub use identity::{IDENTITY, LIGHT};

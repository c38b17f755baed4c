//! snmalloc: Microsoft Research's allocator that sends freed blocks back to their owner in messages.
//!
//! The library is for workers of other catalogues: [`IDENTITY`] goes with [`SnMalloc`].

mod assertions;
mod identity;
mod proof;

pub use identity::IDENTITY;
pub use snmalloc_rs::SnMalloc;

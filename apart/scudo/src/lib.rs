//! scudo: LLVM's allocator that checks its blocks, the one of Android and Fuchsia.
//!
//! The library is for workers of other catalogues: [`IDENTITY`] goes with [`GlobalScudoAllocator`].

mod flags;
mod identity;
mod proof;

pub use identity::IDENTITY;
pub use scudo::GlobalScudoAllocator;

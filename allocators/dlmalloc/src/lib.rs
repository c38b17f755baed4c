//! dlmalloc: Doug Lea's allocator, ported to Rust, behind one lock.
//!
//! It stands for the memory managers that language runtimes used to come with: one heap, and one mutex around every call.
//!
//! The library is for workers of other catalogues: [`IDENTITY`] goes with [`GlobalDlmalloc`].

mod identity;
mod proof;

pub use dlmalloc::GlobalDlmalloc;
pub use identity::IDENTITY;

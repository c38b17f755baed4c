//! rlsf: two-level segregated fit, an algorithm for real-time systems that takes constant time, behind one lock.
//!
//! The library is for workers of other catalogues: [`IDENTITY`] goes with [`Tlsf`].

mod heap;
mod identity;
mod proof;

pub use heap::Tlsf;
pub use identity::IDENTITY;

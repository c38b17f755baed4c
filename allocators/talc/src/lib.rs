//! talc: an allocator for embedded programs and WebAssembly, here behind a spin lock and over the system allocator.
//!
//! The lock is the one that talc's examples take: who waits for it keeps a processor busy, and with more threads than processors that
//! is most of the time.
//!
//! The library is for workers of other catalogues: [`IDENTITY`] goes with [`Talc`].

mod heap;
mod identity;
mod proof;

pub use heap::Talc;
pub use identity::IDENTITY;

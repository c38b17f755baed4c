//! rpmalloc: Mattias Jansson's allocator of thread caches over spans of 64 KiB, through the crate of Embark Studios.
//!
//! Linking it also puts a `pthread_create` of rpmalloc's into the program (`ENABLE_PRELOAD` in its `malloc.c`, which the crate always
//! sets): each thread gets its heap before its function runs, and leaves it in a destructor of thread-specific data. When the program
//! exits, a destructor of the library unmaps all heaps, also under threads that are still running or ending, which then crash.
//!
//! The library is for workers of other catalogues: [`IDENTITY`] goes with [`RpMalloc`].

mod identity;
mod proof;

pub use identity::IDENTITY;
pub use rpmalloc::RpMalloc;

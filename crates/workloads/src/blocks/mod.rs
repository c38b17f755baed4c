//! Blocks of memory from the global allocator, as safe values.
//!
//! The classic stress programs deal in bare blocks of a size that is known at run time only, which no type of the
//! standard library is: a boxed slice has to be filled, a vector has three words. What is unsafe about them is in here,
//! and nowhere else in this crate.
//!
//! - [`Block`] says itself how large it is, so that its owner is one word, as a C pointer is; its first word is always
//!   touched.
//! - [`Buffer`] has its layout beside it: it may stay untouched, be zeroed, have any alignment, and grow.
//! - [`Table`] holds blocks that threads swap without a lock.
//!
//! Blocks are written and read back as their [`Touch`](crate::models::Touch) says. What is read differs from what was
//! written if the allocator has given the same memory to somebody else; it goes into the checksum.

mod block;
mod buffer;
mod pattern;
mod table;

pub(crate) use block::Block;
pub(crate) use buffer::Buffer;
pub(crate) use table::Table;

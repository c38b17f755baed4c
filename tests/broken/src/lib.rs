//! The tests of the tests: an allocator with one fault of many, each of which the checks of soundness must find and name.
//!
//! `broken@fault:NAME` is the system allocator with that fault, and `broken@fault:none` the system allocator. The faults are
//! made after those of real allocators, and know nothing of the checks: they come with sizes, alignments, threads and
//! moments. All of them leave blocks of up to 256 bytes between threads alone where they would hit the runtime of the
//! program before the check, so that the worker starts and greets.
//!
//! [`FAULTS`] says of each what it resembles and what must find it.

mod allocator;
mod choice;
mod fault;
mod faults;
mod identity;
mod list;
mod parts;
mod table;

pub use allocator::Broken;
pub use choice::choose;
pub use fault::{Fault, NONE};
pub use identity::IDENTITY;
pub use list::markdown;
pub use table::FAULTS;

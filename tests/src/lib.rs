//! Workers that misbehave on purpose, for the tests of the harness.
//!
//! The programs under `src/bin` are built from the parts in this library: an allocator that can be sabotaged, a small
//! catalogue of workloads, and the protocol spoken by hand where a worker must say what a real one never would. Every
//! program holds a [lifeline](lifeline::attach), so that a test can tell for certain when it and all it started are gone.

mod answers;
mod boxes;
mod dirty_zeroes;
mod faults;
mod full_disk;
mod hoarder;
mod hushed;
mod identity;
mod lifeline;
mod mapped_file;
mod requests;
mod sabotage;
mod speech;
mod touch;

use heapmark_worker::Catalogue;

pub use answers::Answers;
pub use boxes::Boxes;
pub use dirty_zeroes::DirtyZeroes;
pub use faults::{abort, crash, deadlock, exit, leave_a_child};
pub use full_disk::limit_file_size;
pub use heapmark_worker;
pub use hoarder::Hoarder;
pub use hushed::{Hushed, Rests};
pub use identity::IDENTITY;
pub use lifeline::{LIFELINE, attach};
pub use mapped_file::MAPPED_FILE;
pub use requests::Requests;
pub use sabotage::{Moment, Sabotaged};
pub use speech::{greet, hear, hear_line, offer, say, wait_for_the_end};
pub use touch::Touch;

/// What a sound worker of these tests offers.
pub const CATALOGUE: Catalogue = Catalogue {
    workloads: &[&Boxes::SOUND, &Touch, &mapped_file::MappedFile, &Requests],
    sets: &[],
    features: |_| Ok(()),
};

/// Makes a program a worker that holds a lifeline; what is not given is sound.
#[macro_export]
macro_rules! worker {
    ($type:ty = $allocator:expr, $identity:expr, $catalogue:expr) => {
        $crate::hold_lifeline!();
        $crate::heapmark_worker::worker!($type = $allocator, $identity, $catalogue);
    };
    ($type:ty = $allocator:expr) => {
        $crate::worker!($type = $allocator, $crate::IDENTITY, $crate::CATALOGUE);
    };
    (catalogue: $catalogue:expr) => {
        $crate::worker!(::std::alloc::System = ::std::alloc::System, $crate::IDENTITY, $catalogue);
    };
    (identity: $identity:expr) => {
        $crate::worker!(::std::alloc::System = ::std::alloc::System, $identity, $crate::CATALOGUE);
    };
}

/// Has the program attach its lifeline before `main`, and before it can allocate.
#[macro_export]
macro_rules! hold_lifeline {
    () => {
        #[expect(unsafe_code, reason = "the section holds pointers to functions without arguments, which this is")]
        #[used]
        #[unsafe(link_section = ".init_array")]
        static ATTACH: extern "C" fn() = $crate::attach;
    };
}

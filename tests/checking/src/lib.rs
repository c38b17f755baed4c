//! Every workload, checked at each call of the allocator.
//!
//! [`Checked`] stands between a program and its allocator. Every block that is handed out is aligned as asked and shares no byte with
//! another live one; it is filled with a pattern, or read to be zero where that was asked for; a resized block still begins with what was in
//! it; and what comes back is a live block, with the layout that it was taken with. Before it goes back to the allocator it is
//! filled with another pattern. So a workload that reads what it never wrote, or what it has freed, has another checksum with other
//! patterns. The first thing that is wrong ends the program, with a line that says what it was.
//!
//! What the books of live blocks need lies in memory of their own, so that nothing of it is in the heap under test. There are no bytes
//! behind the blocks to see whether they are overwritten: they would change the size classes, and so the allocator's work. That is
//! seen by the workloads, which write patterns of their own and read them back into their checksums.
//!
//! [`program!`] makes a program of an allocator. It runs one workload, by name, with the small parameters of
//! [`heapmark_workloads::small`] and a number of [variants](variants::of), and says after each turn what was done and what is alive.
//! The programs are those of `tests/checked`, one for each backend; the tests of this package run them all, and hold what they say
//! against each other.

mod aside;
mod books;
mod checked;
mod fault;
mod program;
mod report;
pub mod variants;
mod watch;

pub use books::Held;
pub use checked::Checked;
pub use fault::{Call, Fault, Wrong};
pub use program::run;
pub use report::{Line, Phase};
pub use watch::{PATIENCE_SECONDS, begin};

/// Makes a program that checks an allocator: `TYPE = VALUE`, and the identity of its backend.
#[macro_export]
macro_rules! program {
    ($type:ty = $allocator:expr, $identity:expr $(,)?) => {
        #[global_allocator]
        static ALLOCATOR: $crate::Checked<$type> = $crate::Checked::new($allocator);

        /// Runs before `main`, so that even an allocator that hangs at its first call is not waited for.
        #[expect(unsafe_code, reason = "the section holds pointers to functions without arguments, which this is")]
        #[used]
        #[unsafe(link_section = ".init_array")]
        static BEGIN: extern "C" fn() = $crate::begin;

        fn main() -> ::std::process::ExitCode {
            $crate::run(&ALLOCATOR, &$identity)
        }
    };
}

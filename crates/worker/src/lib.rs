//! What a heapmark plug-in links.
//!
//! A **backend** is a program of one macro call, [`worker!`]: an allocator, its [`Identity`] and a [`Catalogue`] of
//! workloads. A **workload** implements [`Workload`], [`Job`] and [`Lane`]. This crate does the rest: it speaks the
//! protocol, starts the threads, reads the clocks and the memory probes, and keeps the heap clean while doing so — no
//! allocation between the greeting and the end of a sample but those of the workload itself.

mod build_info;
mod channel;
mod clock;
mod dry_run;
mod identity;
mod lanes;
mod memory;
mod requests;
mod reuse;
mod runtime;
mod serving;
mod soundness;
mod workload;

pub use dry_run::{Moment, observe_turns, run_turns};
pub use identity::{Counters, Counting, Finding, Identity, Knob, Limit, Proof, ReadBack, TestBlock};
pub use memory::{Resident, resident};
pub use requests::{RequestErrors, Requests};
pub use reuse::proof_by_reuse;
pub use runtime::{die_with_parent, run};
pub use serving::{Offer, Serving};
pub use workload::{About, Catalogue, Job, Lane, MAX_PARAMETERS, Parameter, Set, Setup, Tally, Turn, Values, Workload};

/// Makes a program a heapmark worker.
///
/// ```ignore
/// heapmark_worker::worker!(System = System, identity::IDENTITY, heapmark_workloads::CATALOGUE);
/// ```
///
/// `TYPE = VALUE` is the allocator, then follow its [`Identity`] and the [`Catalogue`] it offers.
#[macro_export]
macro_rules! worker {
    ($type:ty = $allocator:expr, $identity:expr, $catalogue:expr $(,)?) => {
        #[global_allocator]
        static ALLOCATOR: $type = $allocator;

        /// Runs before `main`, so that even a worker whose first allocation hangs ends with its harness.
        #[expect(unsafe_code, reason = "the section holds pointers to functions without arguments, which this is")]
        #[used]
        #[unsafe(link_section = ".init_array")]
        static DIE_WITH_PARENT: extern "C" fn() = $crate::die_with_parent;

        fn main() -> ::std::process::ExitCode {
            $crate::run(&$identity, &$catalogue)
        }
    };
}

/// The processors that this process may run on; at least 1. Unlike the standard library's count it reads no files and
/// allocates nothing; a CPU quota of a control group is not taken into account.
pub(crate) fn cores() -> u64 {
    clock::usable_processors()
}

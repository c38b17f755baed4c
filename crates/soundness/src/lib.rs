//! Checks that the allocator of this program is sound: that it does what an allocator must, and what its maker promised.
//!
//! A check works through [`std::alloc`] and so through whatever `#[global_allocator]` the program has. It ends with the
//! first thing that is wrong and says what it was, with numbers. A broken allocator can do anything, so the checks trust it
//! with nothing of their own: books, notes and threads live outside the heap under test. Where it ends the process all the
//! same, or never comes back, whoever started the process has to say so; what was tried last stands on standard error.
//!
//! A check may leave the heap in ruins, and changes limits of its process: make one in each process.

mod block;
mod books;
mod checks;
mod crew;
mod ended;
mod memory;
mod pattern;
mod spans;
mod stage;

pub use heapmark_protocol::Finding;

use ended::{Checked, Ended};

/// One check.
#[derive(Debug)]
pub struct Check {
    /// Its name, by which known limits refer to it.
    pub name: &'static str,
    /// What it asks of an allocator, in a line.
    pub summary: &'static str,
    run: fn(Promises) -> Checked,
}

/// What an allocator's maker promises beyond what every allocator must do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Promises {
    /// This call gives free memory back to the kernel.
    pub purge: Option<fn()>,
}

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is wrong. What there is to say besides; mostly nothing.
    Passed(&'static str),
    /// The check does not apply, for this reason.
    Skipped(&'static str),
    /// Something is wrong: how, and what exactly.
    Found(Finding, &'static str),
}

impl Check {
    /// The check of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        CHECKS.iter().find(|check| check.name == name)
    }

    /// Makes it, with the allocator of this program.
    pub fn run(&self, promises: Promises) -> Outcome {
        match (self.run)(promises) {
            Ok(note) => Outcome::Passed(note),
            Err(Ended::Skipped(reason)) => Outcome::Skipped(reason),
            Err(Ended::Found(finding, detail)) => Outcome::Found(finding, detail),
        }
    }
}

/// All checks, from the simplest on.
pub const CHECKS: &[Check] = &[
    Check {
        name: "align/page",
        summary: "blocks aligned to 1 up to 4,096 bytes lie where they must",
        run: checks::align::page,
    },
    Check {
        name: "align/2mib",
        summary: "blocks aligned to 8 KiB up to 2 MiB lie where they must",
        run: checks::align::two_mib,
    },
    Check {
        name: "zeroed",
        summary: "zeroed blocks are zeroed, whoever used the memory before",
        run: checks::zeroed::zeroed,
    },
    Check {
        name: "realloc",
        summary: "a block that grows or shrinks keeps its content and its alignment",
        run: checks::realloc::realloc,
    },
    Check { name: "overlap", summary: "no two live blocks share a byte", run: checks::overlap::overlap },
    Check {
        name: "sizes",
        summary: "blocks of every size hold as many bytes as were asked for, up to their neighbours",
        run: checks::sizes::sizes,
    },
    Check {
        name: "contention",
        summary: "threads that allocate at once and hand blocks to each other do not disturb each other",
        run: checks::contention::contention,
    },
    Check {
        name: "remote-free",
        summary: "memory that another thread gave back is used again",
        run: checks::remote_free::remote_free,
    },
    Check {
        name: "thread-exit",
        summary: "blocks outlive their thread, and a thread may allocate while it ends",
        run: checks::thread_exit::thread_exit,
    },
    Check {
        name: "short-threads",
        summary: "10,000 threads that come and go leave nothing behind",
        run: checks::short_threads::short_threads,
    },
    Check { name: "fork", summary: "a child forked while threads allocate can allocate", run: checks::fork::fork },
    Check {
        name: "impossible",
        summary: "sizes that cannot be had give null, and leave the old block alone",
        run: checks::impossible::impossible,
    },
    Check {
        name: "exhaustion",
        summary: "where address space ends blocks are null, and can be had again once others are given back",
        run: checks::exhaustion::exhaustion,
    },
    Check { name: "reuse", summary: "the same work again and again needs no more memory", run: checks::reuse::reuse },
    Check {
        name: "purge",
        summary: "free memory goes back to the kernel where a call promises it, and live memory stays",
        run: checks::purge::purge,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for (index, check) in CHECKS.iter().enumerate() {
            assert!(CHECKS[..index].iter().all(|other| other.name != check.name), "{}", check.name);
            assert_eq!(Check::named(check.name).map(|found| found.summary), Some(check.summary));
        }
        assert!(Check::named("align").is_none());
    }

    #[test]
    fn what_is_not_promised_is_skipped() {
        let purge = Check::named("purge").expect("it is in the table");
        assert!(matches!(purge.run(Promises::default()), Outcome::Skipped(_)));
    }
}

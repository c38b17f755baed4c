//! What a fault is.

use std::alloc::GlobalAlloc;

use heapmark_worker::Finding;

use crate::parts::trim;

/// The name of no fault at all.
pub const NONE: &str = "none";

/// A way in which an allocator is broken.
pub struct Fault {
    /// Its name, the value of the knob.
    pub name: &'static str,
    /// What it does wrong, in a line.
    pub summary: &'static str,
    /// The mistake in real allocators that it is made after.
    pub resembles: &'static str,
    /// The check that must find it.
    pub check: &'static str,
    /// What the check must find.
    pub finding: Finding,
    /// The allocator that has it.
    pub(crate) allocator: &'static (dyn GlobalAlloc + Sync),
    /// Its purge call.
    pub(crate) purge: fn(),
}

impl Fault {
    /// A fault whose purge is the system's; the texts are for the list.
    pub(crate) const fn new(
        name: &'static str,
        (check, finding): (&'static str, Finding),
        allocator: &'static (dyn GlobalAlloc + Sync),
        summary: &'static str,
        resembles: &'static str,
    ) -> Self {
        Self { name, summary, resembles, check, finding, allocator, purge: trim }
    }

    /// The fault with a purge call of its own.
    pub(crate) const fn purging(self, purge: fn()) -> Self {
        Self { purge, ..self }
    }
}

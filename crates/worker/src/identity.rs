//! Who a worker is: its allocator, the proof that it serves, and its knobs.

use std::alloc::Layout;
use std::fmt;

pub use heapmark_protocol::{Finding, Proof};

/// What a backend says of its allocator. Everything that the allocator can be asked is asked at run time.
#[derive(Debug)]
pub struct Identity {
    /// The backend's name: the folder under `allocators/`.
    pub name: &'static str,
    /// The crate that provides the allocator; empty where there is none.
    pub crate_name: &'static str,
    /// That crate's version; a test compares it with the lockfile.
    pub crate_version: &'static str,
    /// The licence of allocator and crate, as an SPDX expression.
    pub licence: &'static str,
    /// The methods of `GlobalAlloc` that the wrapper forwards itself, separated by commas.
    pub forwards: &'static str,
    /// Writes the version of the allocator itself.
    pub upstream_version: fn(&mut dyn fmt::Write) -> fmt::Result,
    /// Decides, from a live block that came from the program's normal allocation path, whether this allocator serves;
    /// writes what it saw. Must not keep the block.
    pub proof: fn(&TestBlock, &mut dyn fmt::Write) -> Proof,
    /// Whether the native library was built for debugging: with assertions, or not optimised.
    pub debug_build: fn() -> bool,
    /// How the native library was built, for a reader; empty where there is none.
    pub native_flags: &'static str,
    /// The settings that the environment can make.
    pub knobs: &'static [Knob],
    /// Exact counters, where the allocator is there to count. Such a worker is never compared, only asked.
    pub counting: Option<Counting>,
    /// Asks the allocator to give free memory back to the kernel now; absent where it cannot be asked, or needs not be.
    pub purge: Option<fn()>,
    /// Writes what the allocator counts of itself, for a reader; absent where it tells nothing.
    pub statistics: Option<fn(&mut dyn fmt::Write) -> fmt::Result>,
    /// What the allocator is known not to do, each seen here.
    pub limits: &'static [Limit],
}

impl Identity {
    /// An allocator of which nothing is known: what a backend starts from, and says more where it can.
    pub const UNKNOWN: Self = Self {
        name: "",
        crate_name: "",
        crate_version: "",
        licence: "",
        forwards: "alloc,dealloc",
        upstream_version: |_| Ok(()),
        proof: |_, _| Proof::None,
        debug_build: || false,
        native_flags: "",
        knobs: &[],
        counting: None,
        purge: None,
        statistics: None,
        limits: &[],
    };
}

/// A check of soundness that an allocator is known to fail, and how: not a defect to be found anew, but a limit to know of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The check's name.
    pub check: &'static str,
    /// How it fails.
    pub finding: Finding,
    /// From where on, and why.
    pub reason: &'static str,
}

/// One setting of an allocator, made through the environment before the worker starts.
#[derive(Debug)]
pub struct Knob {
    /// The name in `NAME@knob:value`.
    pub name: &'static str,
    /// The environment variable that carries it.
    pub variable: &'static str,
    /// The variable's content for one knob; `{}` stands for the value.
    pub template: &'static str,
    /// What joins several knobs that share the variable.
    pub joiner: Option<&'static str>,
    /// Reads the value in force.
    pub read: ReadBack,
}

/// How the value of a knob is read back.
#[derive(Clone, Copy, Debug)]
pub enum ReadBack {
    /// Writes what the allocator itself says.
    Allocator(fn(&mut dyn fmt::Write) -> fmt::Result),
    /// The allocator cannot be asked: the worker says what its environment holds.
    Environment,
}

/// How a counting allocator is asked.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    /// Reads the counters.
    pub read: fn() -> Counters,
    /// Makes [`Counters::peak_live`] start again from what is live now.
    pub reset_peak: fn(),
}

/// Exact counters of a counting allocator, since the start of the process unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Calls that obtained, resized or gave back memory.
    pub calls: u64,
    /// Bytes requested by fresh blocks, and by resized ones with their whole new size.
    pub requested: u64,
    /// The greatest number of requested bytes that were live at once, since [`Counting::reset_peak`] was last called.
    pub peak_live: u64,
}

/// A live block of 256 bytes from the program's normal allocation path.
///
/// At most 64 KiB, since a larger one could move glibc's thresholds for the rest of the run.
#[derive(Debug)]
pub struct TestBlock {
    bytes: Box<[u8; TestBlock::SIZE]>,
}

impl TestBlock {
    /// The size of the block, in bytes.
    pub const SIZE: usize = 256;

    /// The layout it was requested with.
    pub const LAYOUT: Layout = Layout::new::<[u8; Self::SIZE]>();

    #[expect(clippy::new_without_default, reason = "taking a block is an act, not a default value")]
    /// Takes a block.
    pub fn new() -> Self {
        Self { bytes: std::hint::black_box(Box::new([0x5A; Self::SIZE])) }
    }

    /// Where it lies.
    pub fn address(&self) -> *const u8 {
        self.bytes.as_ptr()
    }
}

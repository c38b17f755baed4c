//! A workload whose memory is that of a file.
#![expect(unsafe_code, reason = "mmap(2) and munmap(2)")]

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

/// The name of the file; it lies beside the program, under the path that it was started by.
pub const MAPPED_FILE: &str = "mapped";

/// Maps the beginning of a file and reads a byte of each page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MappedFile;

static ABOUT: About = About {
    name: "test/mapped-file",
    summary: "maps and reads some MiB of a file",
    unit: "pass",
    details: "For tests of the memory probes.",
    parameters: &[Parameter::number("mib", 200, 0, 4096, "MiB to map; 0 for no mapping")],
};

impl Workload for MappedFile {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let program = PathBuf::from(std::env::args_os().next().unwrap_or_default());
        let file = File::open(program.with_file_name(MAPPED_FILE)).map_err(|error| format!("no file: {error}"))?;
        Ok(Box::new(MappedJob { file, length: setup.size("mib") << 20 }))
    }
}

struct MappedJob {
    file: File,
    length: usize,
}

impl Job for MappedJob {
    fn lanes(&self) -> usize {
        1
    }

    fn lane(&self, _: usize) -> Box<dyn Lane + '_> {
        Box::new(MappedLane { mapping: (self.length > 0).then(|| Mapping::of(&self.file, self.length)) })
    }
}

struct MappedLane {
    mapping: Option<Mapping>,
}

impl Lane for MappedLane {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            let bytes = self.mapping.as_ref().map_or(&[][..], Mapping::bytes);
            tally.add(bytes.iter().step_by(4096).map(|&byte| u64::from(byte)).sum());
        }
        tally
    }
}

/// A private, readable mapping of a file.
struct Mapping {
    start: *mut libc::c_void,
    length: usize,
}

impl Mapping {
    /// Maps the first `length` bytes, which the file must have.
    fn of(file: &File, length: usize) -> Self {
        let (protection, flags) = (libc::PROT_READ, libc::MAP_PRIVATE);
        // SAFETY: a new mapping at an address of the kernel's choice touches no memory of ours.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, file.as_raw_fd(), 0) };
        assert!(start != libc::MAP_FAILED, "the file cannot be mapped");
        Self { start, length }
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping is that long and lives as long as `self`; the test that owns the file leaves it alone.
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.length) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing borrows from it any longer.
        unsafe { libc::munmap(self.start, self.length) };
    }
}

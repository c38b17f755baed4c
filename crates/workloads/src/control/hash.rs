//! Hashing one big buffer.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::buffer::{BUFFER_KIB, Buffer, WINDOW};
use crate::checksum::mix;
use crate::memory_limit::within_memory;

/// Hashes over what was there before.
#[derive(Debug)]
pub(crate) struct Hash;

static ABOUT: About = About {
    name: "control/hash",
    summary: "hashes one big buffer, piece by piece: no call to the allocator",
    unit: "piece",
    details: "All threads read one buffer that was allocated and written beforehand. A piece of 64 KiB is hashed some times over, \
              then comes the next one. The time goes into multiplications, and next to none into memory. A control: nothing is \
              allocated, so no allocator can be faster or slower, nor leaner or fatter above its own start. Whoever is called so \
              says that something else differs; heapmark then gives no verdict on that contender and metric in the other \
              workloads. Real programs that compute rather than allocate look like it.",
    parameters: &[
        BUFFER_KIB,
        Parameter::number("passes", 16, 1, 1000, "times that a piece is hashed"),
        Parameter::threads(),
    ],
};

impl Workload for Hash {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let bytes = setup.size("buffer_kib") << 10;
        within_memory(ABOUT.name, lanes, Buffer::needed(bytes))?;
        Ok(Box::new(Pieces { lanes, buffer: Buffer::new(bytes, setup.seed), passes: setup.number("passes") }))
    }
}

struct Pieces {
    lanes: usize,
    buffer: Buffer,
    passes: u64,
}

impl Job for Pieces {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let windows = self.buffer.windows();
        // The lanes are spread over the buffer.
        Box::new(Reader { windows, next: windows.len() * index / self.lanes, passes: self.passes })
    }
}

struct Reader<'a> {
    windows: &'a [[u64; WINDOW]],
    /// The piece that comes next.
    next: usize,
    passes: u64,
}

impl Lane for Reader<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            let piece = &self.windows[self.next];
            self.next = (self.next + 1) % self.windows.len();
            tally.add((0..self.passes).fold(self.next as u64, |sum, _| hash(piece, sum)));
        }
        tally
    }
}

/// Four sums are kept apart, because a multiplication that waits for the one before it would take four times as long.
fn hash(piece: &[u64; WINDOW], sum: u64) -> u64 {
    let mut sums = [sum, 1, 2, 3];
    let (groups, _) = piece.as_chunks::<4>();
    for group in groups {
        for (sum, word) in sums.iter_mut().zip(group) {
            *sum = mix(*sum, *word);
        }
    }
    sums.into_iter().fold(0, mix)
}

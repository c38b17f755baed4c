//! Computing without allocating.
//!
//! The twin of the workloads on object graphs: it follows links from place to place and changes what it finds, as those
//! do, but in memory that was there before.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::buffer::{BUFFER_KIB, Buffer, WINDOW};
use crate::checksum::mix;
use crate::memory_limit::within_memory;
use crate::random::scatter;

/// Walks through memory that was there before.
#[derive(Debug)]
pub(crate) struct Compute;

static ABOUT: About = About {
    name: "control/compute",
    summary: "follows and changes links in memory that was there before: no call to the allocator",
    unit: "walk",
    details: "A walk follows links from word to word of a small window and changes each word it comes to; where it goes next \
              depends on what it finds. It is the compute of an object graph without the allocation. A control: no allocator \
              can be faster or slower here, nor leaner or fatter above its own start. Whoever is called so says that the machine, or \
              the programs that the workers are, differ in something else; heapmark then gives no verdict on that contender \
              and metric in the other workloads.",
    parameters: &[
        BUFFER_KIB,
        Parameter::number("steps", 4000, 1, 1_000_000, "words that a walk comes to"),
        Parameter::threads(),
    ],
};

impl Workload for Compute {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        Ok(Box::new(Walks::prepare(ABOUT.name, setup)?))
    }
}

/// Walks on several threads, each in a buffer of its own.
pub(super) struct Walks {
    seed: u64,
    lanes: usize,
    /// Bytes of each lane's buffer.
    bytes: usize,
    steps: u64,
}

impl Walks {
    pub(super) fn prepare(workload: &str, setup: &Setup<'_>) -> Result<Self, String> {
        let lanes = setup.size("threads");
        let bytes = (setup.size("buffer_kib") << 10) / lanes;
        within_memory(workload, lanes, Buffer::needed(bytes) * lanes as u64)?;
        Ok(Self { seed: setup.seed, lanes, bytes, steps: setup.number("steps") })
    }

    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// The walker of a lane, or of someone beside the lanes.
    pub(super) fn walker(&self, part: u64) -> Walker {
        Walker { buffer: Buffer::new(self.bytes, scatter(self.seed) ^ part), steps: self.steps, at: 0 }
    }
}

impl Job for Walks {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        Box::new(self.walker(index as u64))
    }
}

/// Someone who walks.
pub(super) struct Walker {
    buffer: Buffer,
    steps: u64,
    /// The word that comes next.
    at: usize,
}

impl Lane for Walker {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            tally.add(walk(self.buffer.window(), &mut self.at, self.steps));
        }
        tally
    }
}

/// Follows so many links from `at` on.
pub(super) fn walk(window: &mut [u64; WINDOW], at: &mut usize, steps: u64) -> u64 {
    let mut sum = 0;
    for _ in 0..steps {
        let word = &mut window[*at % WINDOW];
        sum = mix(sum, *word);
        *word = word.rotate_left(7) ^ sum;
        // The upper bits are those that a multiplication mixes best.
        *at = usize::try_from(sum >> 48).unwrap_or_default() % WINDOW;
    }
    sum
}

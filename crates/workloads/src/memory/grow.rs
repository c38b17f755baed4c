//! One huge buffer that grows by doubling.
//!
//! Models a reader that does not know how much will come: a buffer is reallocated to twice the size whenever it is full. Where
//! the allocator can have the kernel move pages, nothing is copied, and only one copy is ever resident; else each step copies
//! all there is, and old and new are alive together.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::SETTLE_MS;
use crate::blocks::Buffer;
use crate::checksum::mix;
use crate::memory_limit::within_memory;
use crate::models::{Touch, touch};
use crate::random::scatter;

/// Doubling, again and again.
#[derive(Debug)]
pub(crate) struct Grow;

/// The size with which a buffer begins, and its alignment.
const FIRST: usize = 1024;
const ALIGNMENT: usize = 8;

static ABOUT: About = About {
    name: "memory/grow",
    summary: "grows one huge buffer by doubling it",
    unit: "buffer",
    details: "A buffer of 1 KiB is reallocated to twice the size until it is huge; what is new is written each time, and a byte of each \
              page is read back in the end. Then it is freed, and the next one begins. Read from it the time, the faults, and the \
              peak against the size of the buffer: about one where pages are moved, half as much again where they are copied. \
              It needs a wrapper that forwards realloc; where one does not, all allocators copy. The first buffer can differ from \
              the later ones, which find what the first has left.",
    parameters: &[
        Parameter::number("largest_kib", 32_768, 1, 1 << 30, "KiB that a buffer grows to, over all threads"),
        touch(Touch::All),
        Parameter::threads(),
    ],
};

impl Workload for Grow {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn settle_ms(&self) -> &'static [u64] {
        SETTLE_MS
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let largest = ((setup.size("largest_kib") << 10) / lanes).max(FIRST);
        // Old and new are alive while one becomes the other.
        within_memory(ABOUT.name, lanes, (largest + largest / 2) as u64 * lanes as u64)?;
        Ok(Box::new(Buffers { seed: setup.seed, lanes, largest, touch: Touch::of(setup) }))
    }
}

struct Buffers {
    seed: u64,
    lanes: usize,
    largest: usize,
    touch: Touch,
}

impl Job for Buffers {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        Box::new(Reader { largest: self.largest, touch: self.touch, key: scatter(scatter(self.seed) ^ index as u64) })
    }
}

struct Reader {
    largest: usize,
    touch: Touch,
    key: u64,
}

impl Reader {
    fn read(&mut self) -> u64 {
        self.key = self.key.wrapping_add(1);
        let mut buffer = Buffer::new(FIRST, ALIGNMENT, self.touch, self.key);
        while buffer.size() < self.largest {
            buffer.resize((2 * buffer.size()).min(self.largest));
        }
        mix(self.key, buffer.size() as u64).wrapping_add(buffer.damage_at_a_glance())
    }
}

impl Lane for Reader {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            tally.add(self.read());
        }
        tally
    }
}

//! Large zeroed blocks, of which much, little or nothing is used.
//!
//! Models tables and bitmaps that are allocated for the worst case. Memory that is fresh from the kernel is zero already; an
//! allocator that knows so gives it out for nothing, one that does not writes all of it, and makes it resident. Memory
//! that was used before has to be cleared by someone in any case.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::SETTLE_MS;
use crate::blocks::{Block, Buffer};
use crate::checksum::mix;
use crate::memory_limit::within_memory;
use crate::models::{Touch, touch_or_none};
use crate::random::scatter;

/// Zeroed blocks.
#[derive(Debug)]
pub(crate) struct Zeroed;

const ALIGNMENT: usize = 8;

/// From one size to the next.
const FACTOR: usize = 4;

/// Bytes of a block that stays between two that were used before.
const BETWEEN: usize = 256;

static ABOUT: About = About {
    name: "memory/zeroed",
    summary: "allocates large zeroed blocks and touches none, some or all of them",
    unit: "block",
    details: "Zeroed blocks of 64 KiB to 16 MiB, each four times as large as the one before, are allocated and freed in turn, \
              without a touch unless set otherwise; what is touched is first looked at to be zero. With heap=aged each thread has \
              written and freed blocks of these sizes beforehand, among small ones that stay, so that used memory is there to be \
              taken. Read from it the time: untouched and fresh, the difference is between asking the kernel and writing \
              everything, and is large. It shrinks with touch=all, where everyone's pages are written. Sizes are those of each thread.",
    parameters: &[
        Parameter::number("smallest_kib", 64, 1, 1 << 20, "KiB of the smallest block"),
        Parameter::number("largest_kib", 16_384, 1, 1 << 24, "KiB that no block exceeds"),
        Parameter::choice("heap", &["fresh", "aged"], "whether blocks of these sizes were used before"),
        touch_or_none(Touch::None),
        Parameter::threads(),
    ],
};

impl Workload for Zeroed {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn settle_ms(&self) -> &'static [u64] {
        SETTLE_MS
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let (smallest, largest) = (setup.size("smallest_kib") << 10, setup.size("largest_kib") << 10);
        let largest = largest.max(smallest);
        let aged = setup.choice("heap") == "aged";
        // All sizes together are four thirds of the largest.
        let bytes = if aged { largest / 3 * 4 } else { largest };
        within_memory(ABOUT.name, lanes, bytes as u64 * lanes as u64)?;
        Ok(Box::new(Tables { seed: setup.seed, lanes, smallest, largest, aged, touch: Touch::of(setup) }))
    }
}

struct Tables {
    seed: u64,
    lanes: usize,
    smallest: usize,
    largest: usize,
    aged: bool,
    touch: Touch,
}

impl Tables {
    fn sizes(&self) -> impl Iterator<Item = usize> {
        let largest = self.largest;
        std::iter::successors(Some(self.smallest), |size| size.checked_mul(FACTOR))
            .take_while(move |size| *size <= largest)
    }
}

impl Job for Tables {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let key = scatter(scatter(self.seed) ^ index as u64);
        let mut between = Vec::new();
        if self.aged {
            let used: Vec<Buffer> = self
                .sizes()
                .map(|size| {
                    between.push(Block::new(BETWEEN, key, Touch::All));
                    Buffer::new(size, ALIGNMENT, Touch::All, key)
                })
                .collect();
            drop(used);
        }
        Box::new(Table { tables: self, key, size: self.smallest, _between: between })
    }
}

struct Table<'a> {
    tables: &'a Tables,
    key: u64,
    /// The size that comes next.
    size: usize,
    _between: Vec<Block>,
}

impl Table<'_> {
    fn block(&mut self) -> u64 {
        self.key = self.key.wrapping_add(1);
        let block = Buffer::zeroed(self.size, ALIGNMENT, self.tables.touch, self.key);
        let next = self.size.saturating_mul(FACTOR);
        self.size = if next <= self.tables.largest { next } else { self.tables.smallest };
        mix(self.key, block.size() as u64).wrapping_add(std::hint::black_box(&block).damage_at_a_glance())
    }
}

impl Lane for Table<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            tally.add(self.block());
        }
        tally
    }
}

//! One table for all threads: each puts a new block where another one's was, and frees that.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use crate::blocks::{Block, Table};
use crate::memory_limit::within_memory;
use crate::models::{Cycle, Sizes, SizesKind, Touch, max_size, min_size, odd_length, sizes, touch};
use crate::random::{scatter, stream};

/// Blocks swapped into a table that all threads share.
#[derive(Debug)]
pub(crate) struct SlotTable;

static ABOUT: About = About {
    name: "classic/slot-table",
    summary: "swaps new blocks into a table shared by all threads and frees what was there",
    unit: "swap",
    details: "A unit allocates a block, exchanges it with what is at a random place of a table, in one atomic step, \
              and frees that. Which thread allocated it is left to chance: with n threads all but one in n frees are \
              remote, in no order and to all owners at once. Stresses remote frees at their least favourable, and \
              contention within the allocator: the table itself has too many places for threads to meet there. Read it \
              over the number of threads; with one, nothing is remote. After snmalloc's contention test (snmalloc: A \
              Message Passing Allocator, ISMM 2019). The original's table has 2^18 places and begins empty, so that \
              how much is alive depends on how long it runs; here it has 2^14 and is full from the start. Which block \
              a thread frees differs from run to run, so the checksum counts blocks where they are made; a block that \
              is not what it was when it is freed changes it (touch=all looks at every byte).",
    parameters: &[
        Parameter::number("slots", 1 << 14, 1, 1 << 24, "places in the table"),
        sizes(SizesKind::Uniform),
        min_size(16),
        max_size(1040),
        touch(Touch::First),
        Parameter::threads(),
    ],
};

impl Workload for SlotTable {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, slots) = (setup.size("threads"), setup.size("slots"));
        let sizes = Sizes::of(ABOUT.name, setup)?;
        within_memory(ABOUT.name, lanes, ((sizes.mean() + 24) * (slots + lanes)) as u64)?;
        let mut rng = stream(setup.seed, lanes as u64);
        Ok(Box::new(Plan {
            seed: setup.seed,
            lanes,
            touch: Touch::of(setup),
            sizes: sizes.cycle(&mut rng),
            places: Cycle::draw(odd_length(slots), || rng.usize(..slots)),
            table: Table::new(slots),
        }))
    }
}

struct Plan {
    seed: u64,
    lanes: usize,
    touch: Touch,
    sizes: Cycle,
    places: Cycle,
    table: Table,
}

impl Job for Plan {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let random = scatter(scatter(self.seed) ^ index as u64);
        let mut swapper =
            Swapper { plan: self, sizes: self.sizes.from(random), places: self.places.from(random >> 32), key: random };
        for place in (index..self.table.len()).step_by(self.lanes) {
            drop(self.table.swap(place, Some(swapper.block())));
        }
        Box::new(swapper)
    }
}

struct Swapper<'a> {
    plan: &'a Plan,
    sizes: Cycle,
    places: Cycle,
    key: u64,
}

impl Swapper<'_> {
    #[inline]
    fn block(&mut self) -> Block {
        self.key = self.key.wrapping_add(1);
        Block::new(self.sizes.next(), self.key, self.plan.touch)
    }
}

impl Lane for Swapper<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut checksum = 0_u64;
        for _ in 0..turn.share() {
            let block = self.block();
            checksum = checksum.wrapping_add(block.stamp());
            if let Some(old) = self.plan.table.swap(self.places.next(), Some(block)) {
                checksum = checksum.wrapping_add(old.discard());
            }
        }
        Tally { count: turn.share(), checksum }
    }
}

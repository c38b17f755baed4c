//! Owners that sleep while others free their blocks.
//!
//! Models a pool of threads of which few are busy: one allocates, hands over and falls asleep; what it has made is freed by
//! others meanwhile. In allocators that give freed blocks back to the thread they came from, these blocks wait until it
//! wakes up and looks. With many owners that take turns, each has a set waiting, though only one set is alive at any time.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::SETTLE_MS;
use super::script::Script;
use crate::blocks::Block;
use crate::helper::Helper;
use crate::memory_limit::within_memory;
use crate::models::{SizesKind, Touch, max_size, min_size, sizes, touch};

/// Owners that take turns.
#[derive(Debug)]
pub(crate) struct SleepingOwner;

static ABOUT: About = About {
    name: "memory/sleeping-owner",
    summary: "frees blocks whose owners sleep until their next turn",
    unit: "shift",
    details: "Each thread has a number of owners. In each shift the next one of them wakes up, allocates a set of blocks and falls \
              asleep; the thread then reads and frees the whole set. An owner wakes again when all others have had their \
              shift. One set is alive at a time. Read from it resident memory and blow-up: where freed blocks wait for \
              their owner, there are in the end as many sets as owners, and the curve is a plateau after each has had one \
              shift; where they can be used by the next owner, or the kernel, at once, it stays at one set.",
    parameters: &[
        Parameter::number("owners", 8, 1, 64, "owners of each thread"),
        Parameter::number("set_kib", 4096, 1, 1 << 30, "KiB of a set of blocks, over all threads"),
        sizes(SizesKind::LogUniform),
        min_size(64),
        max_size(4096),
        touch(Touch::All),
        Parameter::threads(),
    ],
};

impl Workload for SleepingOwner {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn settle_ms(&self) -> &'static [u64] {
        SETTLE_MS
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, owners) = (setup.size("threads"), setup.size("owners"));
        let script = Script::of(ABOUT.name, setup)?;
        let blocks = script.blocks_in((setup.size("set_kib") << 10) / lanes);
        // As if every owner had a set waiting.
        within_memory(ABOUT.name, lanes, script.bytes_of(blocks * owners * lanes))?;
        Ok(Box::new(Shifts { lanes, owners, blocks, script }))
    }
}

struct Shifts {
    lanes: usize,
    owners: usize,
    /// Blocks of a lane's set.
    blocks: usize,
    script: Script,
}

impl Job for Shifts {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let owner = |owner: usize| {
            let mut maker = self.script.maker((index * self.owners + owner) as u64);
            Helper::start(move |mut set: Vec<Block>| {
                let room = set.capacity();
                set.extend((0..room).map(|_| maker.block()));
                set
            })
        };
        let owners = (0..self.owners).map(owner).collect();
        Box::new(Freer { owners, next: 0, set: Vec::with_capacity(self.blocks) })
    }
}

struct Freer {
    owners: Vec<Helper<Vec<Block>>>,
    /// Whose shift comes next.
    next: usize,
    /// The list in which blocks are handed over, with room for a set.
    set: Vec<Block>,
}

impl Lane for Freer {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            self.set = self.owners[self.next].have(std::mem::take(&mut self.set));
            self.next = (self.next + 1) % self.owners.len();
            tally.add(self.set.drain(..).map(Block::free).fold(0, u64::wrapping_add));
        }
        tally
    }
}

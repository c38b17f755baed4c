//! Rounds of short-lived blocks on a large live heap, of which a few survive.
//!
//! Models services that hold much and work a lot: each round builds something and drops it, but for a few blocks that join
//! what is held, in place of older ones. So the live heap is always the same size, while the places of what lives drift
//! apart: pages and runs that are nearly empty, but not quite.

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::SETTLE_MS;
use super::script::{Maker, Script};
use crate::blocks::Block;
use crate::memory_limit::within_memory;
use crate::models::{SizesKind, Touch, max_size, min_size, sizes, touch};
use crate::random::stream;

/// Survivors among many that do not.
#[derive(Debug)]
pub(crate) struct BlowUp;

static ABOUT: About = About {
    name: "memory/blow-up",
    summary: "runs rounds of short-lived blocks on a large live heap that a few of them join",
    unit: "round",
    details: "Each thread holds its part of a live heap of blocks of 64 to 4096 bytes. A round allocates its own blocks; a few \
              of them, spread evenly, take the places of random ones in the live heap, the rest is freed. Live bytes hardly \
              change. Read from it the blow-up, resident memory against live bytes, and whether resident memory still grows: \
              survivors pin what lies around them, and with many threads each part of the heap is pinned on its own. \
              Raise the threads at the same live heap to see what more of them cost.",
    parameters: &[
        Parameter::number("live_kib", 32_768, 1, 1 << 30, "KiB of the live heap, over all threads"),
        Parameter::number("round_kib", 8192, 1, 1 << 30, "KiB of a round, over all threads"),
        Parameter::number("survivors", 2, 0, 100, "per cent of a round that joins the live heap"),
        sizes(SizesKind::LogUniform),
        min_size(64),
        max_size(4096),
        touch(Touch::All),
        Parameter::threads(),
    ],
};

impl Workload for BlowUp {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn settle_ms(&self) -> &'static [u64] {
        SETTLE_MS
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let script = Script::of(ABOUT.name, setup)?;
        let live = script.blocks_in((setup.size("live_kib") << 10) / lanes);
        let round = script.blocks_in((setup.size("round_kib") << 10) / lanes);
        within_memory(ABOUT.name, lanes, script.bytes_of((live + round) * lanes))?;
        let survivors = setup.size("survivors");
        Ok(Box::new(Heaps { seed: setup.seed, lanes, live, round, survivors, script }))
    }
}

struct Heaps {
    seed: u64,
    lanes: usize,
    /// Blocks of a lane's live heap.
    live: usize,
    /// Blocks of a lane's round.
    round: usize,
    /// Per cent of them that survive it.
    survivors: usize,
    script: Script,
}

impl Job for Heaps {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let mut maker = self.script.maker(index as u64);
        let live = (0..self.live).map(|_| maker.block()).collect();
        let rng = stream(self.seed, index as u64);
        Box::new(Heap { heaps: self, maker, rng, live, round: Vec::with_capacity(self.round), due: 0 })
    }
}

struct Heap<'a> {
    heaps: &'a Heaps,
    maker: Maker,
    rng: Rng,
    live: Vec<Block>,
    round: Vec<Block>,
    /// Hundredths of a survivor that are due.
    due: usize,
}

impl Heap<'_> {
    fn round(&mut self) -> u64 {
        let mut sum = 0_u64;
        for _ in 0..self.heaps.round {
            let mut block = self.maker.block();
            self.due += self.heaps.survivors;
            if self.due >= 100 {
                self.due -= 100;
                let place = self.rng.usize(..self.live.len());
                std::mem::swap(&mut self.live[place], &mut block);
            }
            self.round.push(block);
        }
        for block in self.round.drain(..) {
            sum = sum.wrapping_add(block.free());
        }
        sum
    }
}

impl Lane for Heap<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            tally.add(self.round());
        }
        tally
    }
}

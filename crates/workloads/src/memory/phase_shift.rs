//! Threads whose needs rise and fall, each at another time.
//!
//! Models a server whose threads are busy at different times: what one gives up, another needs. Together they need about the
//! same at any time. An allocator that keeps for each thread what it once needed holds the sum of all peaks.

use std::collections::VecDeque;

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::SETTLE_MS;
use super::script::{Maker, Script};
use crate::blocks::Block;
use crate::memory_limit::within_memory;
use crate::models::{SizesKind, Touch, max_size, min_size, sizes, touch};

/// Tides, each thread with its own hour.
#[derive(Debug)]
pub(crate) struct PhaseShift;

static ABOUT: About = About {
    name: "memory/phase-shift",
    summary: "lets the live set of each thread rise and fall, each at another time",
    unit: "step",
    details: "The live set of a thread grows in steps from nothing to its part of the whole, then shrinks again by the same \
              steps, the oldest blocks first. The threads are spread over the tide, so that all together always hold about \
              half of the sum of their peaks; the threads start where they belong in it. Read from it the blow-up: about one \
              where memory given up by one thread serves another, up to two where each keeps its own. With one thread it \
              is a tide, and memory after the turns goes up and down with it.",
    parameters: &[
        Parameter::number("live_kib", 32_768, 1, 1 << 30, "KiB that all threads would hold if all were at their peaks"),
        Parameter::number("steps", 8, 1, 1000, "steps from nothing to the peak"),
        sizes(SizesKind::LogUniform),
        min_size(64),
        max_size(4096),
        touch(Touch::All),
        Parameter::threads(),
    ],
};

impl Workload for PhaseShift {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn settle_ms(&self) -> &'static [u64] {
        SETTLE_MS
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, steps) = (setup.size("threads"), setup.size("steps"));
        let script = Script::of(ABOUT.name, setup)?;
        let blocks = script.blocks_in((setup.size("live_kib") << 10) / lanes / steps);
        within_memory(ABOUT.name, lanes, script.bytes_of(blocks * steps * lanes))?;
        Ok(Box::new(Tides { lanes, steps, blocks, script }))
    }
}

struct Tides {
    lanes: usize,
    /// Steps from nothing to the peak; a tide has twice as many.
    steps: usize,
    /// Blocks of one step of a lane.
    blocks: usize,
    script: Script,
}

impl Job for Tides {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let phase = 2 * self.steps * index / self.lanes;
        // Up to the peak there are as many steps of blocks as it has come, then as many as it has still to go.
        let held = phase.min(2 * self.steps - phase) * self.blocks;
        let mut maker = self.script.maker(index as u64);
        let mut live = VecDeque::with_capacity(self.steps * self.blocks);
        live.extend((0..held).map(|_| maker.block()));
        Box::new(Tide { tides: self, maker, live, phase })
    }
}

struct Tide<'a> {
    tides: &'a Tides,
    maker: Maker,
    live: VecDeque<Block>,
    /// The step that comes next, from 0 to twice the steps.
    phase: usize,
}

impl Tide<'_> {
    fn step(&mut self) -> u64 {
        let Tides { steps, blocks, .. } = *self.tides;
        let mut sum = self.phase as u64;
        if self.phase < steps {
            for _ in 0..blocks {
                let block = self.maker.block();
                sum = sum.wrapping_add(block.stamp());
                self.live.push_back(block);
            }
        } else {
            sum = self.live.drain(..blocks).map(Block::free).fold(sum, u64::wrapping_add);
        }
        self.phase = (self.phase + 1) % (2 * steps);
        sum
    }
}

impl Lane for Tide<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            tally.add(self.step());
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn together_the_threads_always_hold_half_of_their_peaks() {
        for (lanes, steps) in [(2, 8), (4, 8), (8, 4), (2, 1)] {
            let held = |index: usize, done: usize| {
                let phase = (2 * steps * index / lanes + done) % (2 * steps);
                phase.min(2 * steps - phase) * 3
            };
            let mut sums = Vec::new();
            for done in 0..4 * steps {
                sums.push((0..lanes).map(|lane| held(lane, done)).sum::<usize>());
            }
            assert!(sums.iter().all(|sum| *sum == lanes * steps * 3 / 2), "{lanes} lanes, {steps} steps: {sums:?}");
        }
    }

    #[test]
    fn a_lane_holds_what_its_phase_says() {
        let script = Script::log_uniform(64, 64, Touch::First, 1).unwrap();
        let tides = Tides { lanes: 1, steps: 4, blocks: 3, script };
        let mut tide = Tide { tides: &tides, maker: tides.script.maker(0), live: VecDeque::new(), phase: 0 };
        let held: Vec<usize> = (0..10)
            .map(|_| {
                tide.step();
                tide.live.len()
            })
            .collect();
        assert_eq!(held, [3, 6, 9, 12, 9, 6, 3, 0, 3, 6]);
    }
}

//! One size after another, with a few blocks of each that stay.
//!
//! Models a program whose data change: for a while it needs blocks of one size, then of the next. Memory that was cut into
//! blocks of one size has to serve another, or the heap needs room for all of them, one after the other.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::{OVERHEAD, SETTLE_MS};
use crate::blocks::Block;
use crate::memory_limit::within_memory;
use crate::models::{Touch, touch};
use crate::random::scatter;

/// A ramp of sizes.
#[derive(Debug)]
pub(crate) struct SizeSweep;

static ABOUT: About = About {
    name: "memory/size-sweep",
    summary: "fills memory with blocks of one size, then of the next, up a ramp of sizes",
    unit: "step",
    details: "Each step allocates blocks of one size that add up to a fixed amount and frees them, but for a few spread over \
              them, which stay until the ramp comes by again. The sizes are a quarter apart, from 16 bytes to 256 KiB, and begin \
              anew at the top. Read from it resident memory against the amount of a step: where memory of one size does not \
              serve another, it rises with every step up to the end of the first ramp, and stays there. With touch=first \
              large blocks are hardly used, and who clears or walks what it gives out loses time.",
    parameters: &[
        Parameter::number("step_kib", 4096, 1, 1 << 30, "KiB of a step, over all threads"),
        Parameter::number("smallest", 16, 8, 1 << 20, "bytes of the smallest blocks"),
        Parameter::number("largest", 256 << 10, 8, 1 << 30, "bytes that no block exceeds"),
        Parameter::number("survivors", 1, 0, 1000, "blocks of each step that stay, in each thread"),
        touch(Touch::All),
        Parameter::threads(),
    ],
};

impl Workload for SizeSweep {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn settle_ms(&self) -> &'static [u64] {
        SETTLE_MS
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let (smallest, largest) = (setup.size("smallest"), setup.size("largest"));
        let survivors = setup.size("survivors");
        let ramp: Vec<usize> = ramp(smallest, largest.max(smallest)).collect();
        let bytes = (setup.size("step_kib") << 10) / lanes;
        // A step has at least one block, and its survivors come with it.
        let step = bytes.max(ramp[ramp.len() - 1]) / smallest * (smallest + OVERHEAD);
        let kept = ramp.iter().sum::<usize>() as u64 * survivors as u64;
        within_memory(ABOUT.name, lanes, (step as u64).saturating_add(kept).saturating_mul(lanes as u64))?;
        Ok(Box::new(Ramps { seed: setup.seed, lanes, bytes, ramp, survivors, touch: Touch::of(setup) }))
    }
}

/// Sizes from `smallest` on, each a quarter larger than the one before and whole words more, up to `largest`.
fn ramp(smallest: usize, largest: usize) -> impl Iterator<Item = usize> {
    let next = |size: &usize| Some((size + size / 4).next_multiple_of(8).max(size + 8));
    std::iter::successors(Some(smallest), next).take_while(move |size| *size <= largest)
}

struct Ramps {
    seed: u64,
    lanes: usize,
    /// Bytes of a lane's step.
    bytes: usize,
    ramp: Vec<usize>,
    survivors: usize,
    touch: Touch,
}

impl Job for Ramps {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let most = (self.bytes / self.ramp[0]).max(1);
        let kept = self.ramp.iter().map(|_| Vec::with_capacity(self.survivors)).collect();
        let key = scatter(scatter(self.seed) ^ index as u64);
        Box::new(Walker { ramps: self, key, step: 0, blocks: Vec::with_capacity(most), kept })
    }
}

struct Walker<'a> {
    ramps: &'a Ramps,
    key: u64,
    /// The size that comes next.
    step: usize,
    blocks: Vec<Block>,
    /// By size, what stays of it.
    kept: Vec<Vec<Block>>,
}

impl Walker<'_> {
    fn step(&mut self) -> u64 {
        let Ramps { bytes, survivors, touch, ref ramp, .. } = *self.ramps;
        let size = ramp[self.step];
        let count = (bytes / size).max(1);
        for _ in 0..count {
            self.key = self.key.wrapping_add(1);
            self.blocks.push(Block::new(size, self.key, touch));
        }
        // Every so many blocks one stays, so that they are spread over all.
        let stride = count.div_ceil(survivors.max(1));
        let kept = &mut self.kept[self.step];
        let mut sum = kept.drain(..).map(Block::free).fold(0, u64::wrapping_add);
        for (place, block) in self.blocks.drain(..).enumerate() {
            if kept.len() < survivors && place % stride == stride / 2 {
                kept.push(block);
            } else {
                sum = sum.wrapping_add(block.free());
            }
        }
        self.step = (self.step + 1) % ramp.len();
        // A step all of which stays has still been done with this seed.
        sum.wrapping_add(self.key)
    }
}

impl Lane for Walker<'_> {
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
    fn the_ramp_goes_up_by_quarters_in_whole_words() {
        assert_eq!(ramp(16, 100).collect::<Vec<_>>(), [16, 24, 32, 40, 56, 72, 96]);
        assert_eq!(ramp(8, 8).collect::<Vec<_>>(), [8]);
        assert!(ramp(16, 256 << 10).count() < 60);
    }

    #[test]
    fn survivors_are_spread_and_replaced_when_the_ramp_comes_by_again() {
        let ramps =
            Ramps { seed: 1, lanes: 1, bytes: 1024, ramp: vec![16, 64, 2048], survivors: 3, touch: Touch::First };
        let kept = (0..3).map(|_| Vec::new()).collect();
        let mut walker = Walker { ramps: &ramps, key: 0, step: 0, blocks: Vec::new(), kept };
        for _ in 0..3 {
            for _ in 0..3 {
                walker.step();
            }
            let counts: Vec<usize> = walker.kept.iter().map(Vec::len).collect();
            assert_eq!(counts, [3, 3, 1], "of a single block no more than that stays");
        }
    }
}

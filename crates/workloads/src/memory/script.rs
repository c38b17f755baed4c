//! Which blocks a lane makes: sizes drawn before the clock starts, each with a key of its own.

use heapmark_worker::Setup;

use super::OVERHEAD;
use crate::blocks::Block;
use crate::models::{Cycle, Sizes, SizesKind, Touch};
use crate::random::{scatter, stream};

/// What the blocks of a workload look like.
#[derive(Clone, Debug)]
pub(super) struct Script {
    sizes: Sizes,
    cycle: Cycle,
    touch: Touch,
    seed: u64,
}

impl Script {
    /// As the parameters `sizes`, `min_size`, `max_size` and `touch` say. Fails in the name of `workload`.
    pub(super) fn of(workload: &str, setup: &Setup<'_>) -> Result<Self, String> {
        Ok(Self::new(Sizes::of(workload, setup)?, Touch::of(setup), setup.seed))
    }

    /// Blocks of sizes from `min` to `max`, of which each doubling is equally frequent.
    pub(super) fn log_uniform(min: usize, max: usize, touch: Touch, seed: u64) -> Result<Self, String> {
        Ok(Self::new(Sizes::new(SizesKind::LogUniform, min, max)?, touch, seed))
    }

    fn new(sizes: Sizes, touch: Touch, seed: u64) -> Self {
        // A stream of its own, which no part of the workload has.
        Self { sizes, cycle: sizes.cycle(&mut stream(seed, u64::MAX)), touch, seed }
    }

    /// How many blocks make up `bytes`: at least one.
    pub(super) fn blocks_in(&self, bytes: usize) -> usize {
        (bytes / self.sizes.mean().max(1)).max(1)
    }

    /// About what so many blocks need.
    pub(super) fn bytes_of(&self, blocks: usize) -> u64 {
        blocks as u64 * (self.sizes.mean() + OVERHEAD) as u64
    }

    /// Makes the blocks of one part of the workload, such as a lane.
    pub(super) fn maker(&self, part: u64) -> Maker {
        let key = scatter(scatter(self.seed) ^ part);
        Maker { sizes: self.cycle.from(key), touch: self.touch, key }
    }
}

/// Makes blocks one after another.
#[derive(Debug)]
pub(super) struct Maker {
    sizes: Cycle,
    touch: Touch,
    key: u64,
}

impl Maker {
    /// The next block.
    #[inline]
    pub(super) fn block(&mut self) -> Block {
        self.key = self.key.wrapping_add(1);
        Block::new(self.sizes.next(), self.key, self.touch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_blocks_of_their_own_and_the_same_again() {
        let script = Script::log_uniform(16, 4096, Touch::First, 7).unwrap();
        let stamps = |part| {
            let mut maker = script.maker(part);
            (0..50).map(|_| maker.block().free()).collect::<Vec<_>>()
        };
        assert_eq!(stamps(1), stamps(1));
        assert_ne!(stamps(1), stamps(2));
        assert_eq!((script.blocks_in(1), script.blocks_in(1 << 20)), (1, (1 << 20) / script.sizes.mean()));
    }
}

//! Which blocks are freed by another thread than the one that allocated them.

use heapmark_worker::Parameter;

use crate::blocks::Block;
use crate::ring::{Link, Ring};

/// The parameter `cross_thread`, with this default.
pub(crate) const fn cross_thread(default: u64) -> Parameter {
    Parameter::number(
        "cross_thread",
        default,
        0,
        100,
        "per cent of the blocks that the next thread frees; with one thread it is itself the next",
    )
}

/// Blocks that wait between two threads at most.
pub(crate) const WAITING: usize = 512;

/// Frees blocks, a share of them on the next lane's thread. Spread evenly, so that no random number is needed.
pub(crate) struct Crossing<'a> {
    link: Link<'a, Block>,
    percent: u32,
    /// Hundredths of a block that are due to cross.
    due: u32,
}

impl<'a> Crossing<'a> {
    /// The ring that the lanes of a workload need for it.
    pub(crate) fn ring(lanes: usize) -> Ring<Block> {
        Ring::new(lanes, WAITING)
    }

    /// For lane `lane`, on whose thread this must be called.
    pub(crate) fn new(ring: &'a Ring<Block>, lane: usize, percent: u64) -> Self {
        Self { link: ring.link(lane), percent: u32::try_from(percent).unwrap_or(100), due: 0 }
    }

    /// Frees the block or has the next lane free it, and adds what is read from freed blocks to `sum`.
    #[inline]
    pub(crate) fn free(&mut self, block: Block, sum: &mut u64) {
        self.due += self.percent;
        if self.due < 100 {
            *sum = sum.wrapping_add(block.free());
        } else {
            self.due -= 100;
            self.link.give(block, |block| *sum = sum.wrapping_add(block.free()));
        }
    }

    /// Ends a turn: frees what has come from the lane before.
    pub(crate) fn finish(&mut self, sum: &mut u64) {
        if self.percent > 0 {
            self.link.finish(|block| *sum = sum.wrapping_add(block.free()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::Touch;

    #[test]
    fn the_share_crosses_and_everything_is_freed() {
        for percent in [0, 1, 33, 50, 100] {
            let ring = Crossing::ring(1);
            let mut crossing = Crossing::new(&ring, 0, percent);
            let (mut sum, mut expected) = (0, 0_u64);
            for key in 0..100 {
                let block = Block::new(16, key, Touch::First);
                expected = expected.wrapping_add(block.stamp());
                crossing.free(block, &mut sum);
            }
            assert_eq!(sum == expected, percent == 0, "some are on their way");
            assert_eq!(crossing.due, 0, "{percent} of 100");
            crossing.finish(&mut sum);
            assert_eq!(sum, expected);
        }
    }
}

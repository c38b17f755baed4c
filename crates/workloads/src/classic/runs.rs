//! Runs of blocks, a third of which is freed in order, a third in reverse, while a third stays for a while.

use crate::blocks::Block;
use crate::models::{Cycle, Touch};

/// The sizes of a sweep: ladders that start ever higher and go down by halves, with the small rungs more often than the
/// large ones.
pub(super) fn ladders(min: usize, max: usize) -> Vec<usize> {
    let mut sweep = Vec::new();
    let mut top = min;
    while top <= max {
        let mut size = top;
        while size >= min {
            // As often as there are doublings left to the largest size: some blocks of a few hundred bytes for many of
            // ten.
            let often = (max / size).ilog2() as usize + 1;
            sweep.extend(std::iter::repeat_n(size, often));
            size /= 2;
        }
        top += top.div_ceil(2);
    }
    sweep
}

/// One thread's blocks.
pub(super) struct Runs {
    pub(super) sizes: Cycle,
    pub(super) touch: Touch,
    pub(super) key: u64,
    kept: Vec<Block>,
    live: usize,
}

impl Runs {
    /// At most `live` blocks at a time.
    pub(super) fn new(sizes: Cycle, touch: Touch, key: u64, live: usize) -> Self {
        Self { sizes, touch, key, kept: Vec::with_capacity(live), live }
    }

    /// Allocates so many blocks, and frees as many as there is no room for.
    pub(super) fn allocate(&mut self, blocks: u64, mut free: impl FnMut(Block)) {
        for _ in 0..blocks {
            if self.kept.len() == self.live {
                self.release(&mut free);
            }
            self.key = self.key.wrapping_add(1);
            self.kept.push(Block::new(self.sizes.next(), self.key, self.touch));
        }
    }

    /// Frees the oldest third, the oldest first, then the youngest third, the youngest first.
    fn release(&mut self, free: &mut impl FnMut(Block)) {
        let third = (self.live / 3).max(1);
        self.kept.drain(..third).for_each(&mut *free);
        for _ in 0..third {
            if let Some(block) = self.kept.pop() {
                free(block);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_has_all_scales_and_many_small_blocks() {
        let sweep = ladders(8, 1000);
        assert!(sweep.iter().all(|size| (8..=1000).contains(size)));
        let at_most = |bytes| sweep.iter().filter(|size| **size <= bytes).count();
        assert!(at_most(32) > sweep.len() / 3 && at_most(500) < sweep.len(), "{sweep:?}");
        assert_eq!(ladders(8, 8), [8]);
        assert!(ladders(8, 1 << 30).len() < 20_000);
    }

    #[test]
    fn blocks_go_from_both_ends() {
        let mut runs = Runs::new(Cycle::draw(1, || 8), Touch::First, 0, 6);
        let mut freed = Vec::new();
        runs.allocate(7, |block| freed.push(block.stamp() >> 34));
        assert_eq!(freed, [1, 2, 6, 5]);
        assert_eq!(runs.kept.len(), 3);
        for live in 1..10 {
            let mut runs = Runs::new(Cycle::draw(1, || 8), Touch::First, 0, live);
            let mut freed = 0;
            runs.allocate(1000, |_| freed += 1);
            assert_eq!(freed + runs.kept.len(), 1000, "{live} alive");
        }
    }
}

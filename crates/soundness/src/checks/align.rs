//! Alignment: of fresh, zeroed and resized blocks of many sizes.

use crate::Promises;
use crate::block::{Block, How};
use crate::ended::{Checked, Ended};
use crate::stage::stage;

/// Blocks that are live at once: one alone can lie well by luck.
const NEIGHBOURS: usize = 8;

/// Up to a page of 4 KiB: what SIMD, caches, direct I/O and `repr(align)` ask for.
pub(crate) fn page(_: Promises) -> Checked {
    for exponent in 0..=12 {
        let align = 1 << exponent;
        let sizes = [1, 3, 8, 24, 48, 100, 256, 1000, 1024, 4096, 10_000, 70_000, 300_000];
        power(align, sizes.into_iter().chain([align.div_ceil(2), align - 1, align + 1, 2 * align, 3 * align + 5]))?;
    }
    Ok("")
}

/// Up to a huge page.
pub(crate) fn two_mib(_: Promises) -> Checked {
    for exponent in 13..=21 {
        let align = 1 << exponent;
        power(align, [1, 100, 5000, 300_000, align / 2, align - 1, align, align + 1].into_iter())?;
    }
    Ok("")
}

fn power(align: usize, sizes: impl Iterator<Item = usize>) -> Result<(), Ended> {
    for size in sizes.filter(|size| *size > 0) {
        stage(format_args!("{size} bytes aligned to {align}"));
        for way in Way::ALL {
            neighbours(way, size, align)?;
        }
    }
    Ok(())
}

/// How a block comes to its size.
#[derive(Clone, Copy)]
enum Way {
    Fresh,
    Zeroed,
    /// From a block of half the size, or one byte.
    Grown,
    /// From a block of twice the size.
    Shrunk,
}

impl Way {
    const ALL: [Self; 4] = [Self::Fresh, Self::Zeroed, Self::Grown, Self::Shrunk];

    fn take(self, size: usize, align: usize) -> Result<Block, Ended> {
        let resized = |from: usize| {
            let mut block = Block::take(How::Fresh, from, align)?;
            block.fill(from as u64);
            block.resize(size)?;
            Ok(block)
        };
        match self {
            Self::Fresh => Block::take(How::Fresh, size, align),
            Self::Zeroed => Block::take(How::Zeroed, size, align),
            Self::Grown => resized(size.div_ceil(2)),
            Self::Shrunk => resized(2 * size),
        }
    }
}

/// Takes some blocks at once, fills them from edge to edge, and looks whether all hold what was written.
fn neighbours(way: Way, size: usize, align: usize) -> Result<(), Ended> {
    // The largest alignments take that much address space for each block, whatever its size.
    let count = if align > 4096 { 3 } else { NEIGHBOURS };
    let mut blocks: [Option<Block>; NEIGHBOURS] = [None; NEIGHBOURS];
    for (number, slot) in blocks.iter_mut().take(count).enumerate() {
        let mut block = way.take(size, align)?;
        block.fill((size + number) as u64);
        *slot = Some(block);
    }
    blocks.iter().flatten().try_for_each(Block::check)?;
    blocks.into_iter().flatten().for_each(Block::give_back);
    Ok(())
}

//! Resized blocks: each keeps as much of its content as fits, to the last byte, and its neighbours keep theirs.

use fastrand::Rng;

use super::size_between;
use crate::Promises;
use crate::block::{Block, How};
use crate::books::table;
use crate::ended::{Checked, Ended};
use crate::stage::stage;

/// First systematically, then at random.
pub(crate) fn realloc(_: Promises) -> Checked {
    stage(format_args!("blocks that grow and shrink by one byte"));
    step_by_step(1, 2100)?;
    for middle in [4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144, 1_048_576] {
        stage(format_args!("blocks that grow and shrink around {middle} bytes"));
        step_by_step(middle - 17, middle + 17)?;
    }
    for align in [1, 16, 64, 4096] {
        stage(format_args!("blocks aligned to {align} that double and halve"));
        doubling(align)?;
    }
    stage(format_args!("blocks that are resized at random"));
    at_random()?;
    Ok("")
}

/// A block grows byte by byte and shrinks again, and another beside it takes turns, so that neither can always stay in place.
fn step_by_step(least: usize, most: usize) -> Result<(), Ended> {
    let take = |seed| {
        let mut block = Block::take(How::Fresh, least, 8)?;
        block.fill(seed);
        Ok::<Block, Ended>(block)
    };
    let mut blocks = [take(1)?, take(2)?];
    for size in (least + 1..=most).chain((least..most).rev()) {
        for (number, block) in blocks.iter_mut().enumerate() {
            block.resize(size)?;
            block.fill((2 * size + number) as u64);
        }
        blocks.iter().try_for_each(Block::check)?;
    }
    blocks.into_iter().for_each(Block::give_back);
    Ok(())
}

fn doubling(align: usize) -> Result<(), Ended> {
    let mut block = Block::take(How::Fresh, 3, align)?;
    block.fill(3);
    let sizes = (2..22).map(|exponent| (1 << exponent) + (1 << exponent) / 3);
    for size in sizes.clone().chain(sizes.rev()) {
        block.resize(size)?;
        block.fill(size as u64);
    }
    block.check_and_give_back()
}

fn at_random() -> Result<(), Ended> {
    let live: &mut [Option<Block>] = table(200, None)?;
    let mut rng = Rng::with_seed(4);
    for step in 0..30_000 {
        let slot = &mut live[rng.usize(..200)];
        // Most are small; some are as large as what comes from the kernel each time.
        let most = if rng.u32(..50) == 0 { 21 } else { 14 };
        let size = size_between(&mut rng, 0, most);
        if let Some(block) = slot {
            block.check()?;
            if rng.u32(..4) == 0 {
                block.give_back();
                *slot = None;
            } else {
                block.resize(size)?;
                block.fill(step);
            }
        } else {
            let mut block = Block::take(How::Fresh, size, 1 << rng.u32(..13))?;
            block.fill(step);
            *slot = Some(block);
        }
    }
    live.iter().flatten().try_for_each(Block::check)?;
    live.iter().flatten().copied().for_each(Block::give_back);
    Ok(())
}

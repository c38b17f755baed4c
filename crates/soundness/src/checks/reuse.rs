//! The same work again and again: memory that is given back is used again.

use fastrand::Rng;

use super::size_between;
use crate::Promises;
use crate::block::{Block, How};
use crate::books::table;
use crate::ended::{Checked, Ended};
use crate::memory::{Growth, MIB};
use crate::stage::stage;

/// Blocks of a round: together some 15 MiB.
const BLOCKS: usize = 2500;

const ROUNDS: usize = 32;

/// What memory may grow by all the same: about what one round needs, where many have passed through.
const GROWTH: usize = 16 * MIB;

/// Takes, resizes and gives back blocks of many sizes in a random order; the blocks are other ones in each round, and as many.
pub(crate) fn reuse(_: Promises) -> Checked {
    let live: &mut [Option<Block>] = table(BLOCKS, None)?;
    let mut rng = Rng::with_seed(11);
    let mut growth = Growth::over(ROUNDS);
    for number in 0..ROUNDS {
        if number % 10 == 0 {
            stage(format_args!("round {number} of {ROUNDS}"));
        }
        take(live, &mut rng)?;
        resize(live, &mut rng)?;
        growth.look(number)?;
        rng.shuffle(live);
        for slot in live.iter_mut() {
            slot.take().map_or(Ok(()), Block::check_and_give_back)?;
        }
    }
    growth.bounded("the same work again and again", GROWTH)
}

fn take(live: &mut [Option<Block>], rng: &mut Rng) -> Result<(), Ended> {
    for (index, slot) in live.iter_mut().enumerate() {
        // One in a hundred is large, a third is of middle size.
        let size = match index % 100 {
            0 => size_between(rng, 15, 20),
            1..34 => size_between(rng, 10, 15),
            _ => size_between(rng, 3, 10),
        };
        let how = if index % 5 == 0 { How::Zeroed } else { How::Fresh };
        let mut block = Block::take(how, size, if index % 7 == 0 { 64 } else { 8 })?;
        block.fill(index as u64);
        *slot = Some(block);
    }
    Ok(())
}

fn resize(live: &mut [Option<Block>], rng: &mut Rng) -> Result<(), Ended> {
    for block in live.iter_mut().flatten().step_by(2) {
        let size = block.size();
        block.resize(if rng.bool() { size * 3 / 2 + 1 } else { size / 2 + 1 })?;
        block.fill(size as u64);
    }
    Ok(())
}

//! Blocks that other threads give back: their memory is used again.

use std::sync::{Barrier, Mutex, PoisonError};

use fastrand::Rng;

use super::size_between;
use crate::Promises;
use crate::block::{Block, How};
use crate::books::{shared, table};
use crate::crew::Crew;
use crate::ended::{Checked, Ended};
use crate::memory::{Growth, MIB};
use crate::stage::stage;

/// Blocks of a round: together some 12 MiB, more than half of it in the large ones.
const BLOCKS: usize = 4000;

const ROUNDS: usize = 60;

/// What memory may grow by all the same: a fraction of what passes through.
const GROWTH: usize = 24 * MIB;

/// The blocks of a round, and the meeting point of the two threads.
struct Belt {
    blocks: Mutex<&'static mut [Option<Block>]>,
    barrier: Barrier,
}

/// One thread takes the blocks of each round and another gives them back: first always the same other, then each time a new
/// one, which ends.
pub(crate) fn remote_free(_: Promises) -> Checked {
    with_one_other()?;
    with_many_others()
}

fn belt() -> Result<&'static Belt, Ended> {
    shared(Belt { blocks: Mutex::new(table(BLOCKS, None)?), barrier: Barrier::new(2) })
}

/// Takes the blocks of a round.
fn load(belt: &Belt, rng: &mut Rng) -> Result<(), Ended> {
    let mut blocks = belt.blocks.lock().unwrap_or_else(PoisonError::into_inner);
    for (index, slot) in blocks.iter_mut().enumerate() {
        // One in forty-one is large, odd and even ones: those may take another way back.
        let size = if index % 41 == 0 { size_between(rng, 13, 18) } else { size_between(rng, 4, 13) };
        let mut block = Block::take(How::Fresh, size, 8)?;
        block.fill(rng.u64(..));
        *slot = Some(block);
    }
    Ok(())
}

/// Gives every other block back, from the first or the second on.
fn unload(belt: &Belt, from: usize) {
    let mut blocks = belt.blocks.lock().unwrap_or_else(PoisonError::into_inner);
    blocks.iter_mut().skip(from).step_by(2).filter_map(Option::take).for_each(Block::give_back);
}

/// Whether the blocks that are left are as they were.
fn inspect(belt: &Belt) -> Result<(), Ended> {
    belt.blocks.lock().unwrap_or_else(PoisonError::into_inner).iter().flatten().try_for_each(Block::check)
}

fn with_one_other() -> Checked {
    stage(format_args!("blocks that one other thread gives back"));
    let belt = belt()?;
    let other = Crew::<_, 1>::new(belt, |belt: &Belt, _| {
        for _ in 0..ROUNDS {
            for from in [0, 1] {
                belt.barrier.wait();
                unload(belt, from);
                belt.barrier.wait();
            }
        }
        Ok(())
    })?;
    let shift = other.start()?;
    let mut rng = Rng::with_seed(6);
    let mut growth = Growth::over(ROUNDS);
    for round in 0..ROUNDS {
        load(belt, &mut rng)?;
        growth.look(round)?;
        belt.barrier.wait();
        belt.barrier.wait();
        inspect(belt)?;
        belt.barrier.wait();
        belt.barrier.wait();
    }
    shift.join()?;
    growth.bounded("blocks that one other thread gave back", GROWTH)
}

fn with_many_others() -> Checked {
    stage(format_args!("blocks that ever new threads give back"));
    let belt = belt()?;
    let evens = Crew::<_, 1>::new(belt, |belt: &Belt, _| {
        unload(belt, 0);
        Ok(())
    })?;
    let odds = Crew::<_, 1>::new(belt, |belt: &Belt, _| {
        unload(belt, 1);
        Ok(())
    })?;
    let mut rng = Rng::with_seed(7);
    let mut growth = Growth::over(ROUNDS);
    for round in 0..ROUNDS {
        load(belt, &mut rng)?;
        growth.look(round)?;
        evens.run()?;
        inspect(belt)?;
        odds.run()?;
    }
    growth.bounded("blocks that ever new threads gave back", GROWTH)
}

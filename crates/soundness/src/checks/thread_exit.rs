//! Blocks outlive the thread that took them; and a thread may allocate while it ends, in the destructors of its variables.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

use fastrand::Rng;

use super::size_between;
use crate::Promises;
use crate::block::{Block, How};
use crate::books::shared;
use crate::crew::Crew;
use crate::ended::{Checked, Ended};
use crate::stage::stage;

/// Blocks that a thread leaves behind.
const BLOCKS: usize = 96;

const ROUNDS: usize = 40;

/// What threads leave behind.
struct Estate {
    blocks: Mutex<[Option<Block>; BLOCKS]>,
    /// What a thread found while it ended, where it could return nothing.
    last_words: Mutex<Option<Ended>>,
}

/// Each round: a thread takes blocks and ends; others work, perhaps in the memory that it left; then a third grows some of
/// the blocks, gives some back and ends; the rest is given back here.
pub(crate) fn thread_exit(_: Promises) -> Checked {
    let estate = shared(Estate { blocks: Mutex::new([None; BLOCKS]), last_words: Mutex::new(None) })?;
    let founder = Crew::<_, 1>::new(estate, found_estate)?;
    let strangers = Crew::<_, 2>::new(estate, |_, number| work(number as u64))?;
    let heir = Crew::<_, 1>::new(estate, inherit)?;
    for round in 0..ROUNDS {
        if round % 10 == 0 {
            stage(format_args!("threads that leave blocks behind, from round {round} on"));
        }
        founder.run()?;
        strangers.run()?;
        each(estate, |_, block| block.check())?;
        heir.run()?;
        strangers.run()?;
        each(estate, |_, block| block.check())?;
        each(estate, |_, block| {
            block.give_back();
            Ok(())
        })?;
        estate.blocks.lock().unwrap_or_else(PoisonError::into_inner).fill(None);
        let last_words = estate.last_words.lock().unwrap_or_else(PoisonError::into_inner).take();
        last_words.map_or(Ok(()), Err)?;
    }
    Ok("")
}

fn each(estate: &Estate, mut look: impl FnMut(usize, &mut Block) -> Result<(), Ended>) -> Result<(), Ended> {
    let mut blocks = estate.blocks.lock().unwrap_or_else(PoisonError::into_inner);
    blocks
        .iter_mut()
        .enumerate()
        .try_for_each(|(number, slot)| slot.as_mut().map_or(Ok(()), |block| look(number, block)))
}

/// Leaves blocks behind, and a destructor that allocates.
fn found_estate(estate: &'static Estate, _: usize) -> Result<(), Ended> {
    // Known to this thread before its first block, so that the destructor comes after what the allocator may tear down itself:
    // the last one registered runs first. The heir's comes before.
    DEPARTURE.with(|_| ());
    let mut rng = Rng::with_seed(8);
    let mut blocks = estate.blocks.lock().unwrap_or_else(PoisonError::into_inner);
    for slot in blocks.iter_mut() {
        let mut block = Block::take(How::Fresh, size_between(&mut rng, 3, 18), 8)?;
        block.fill(rng.u64(..));
        *slot = Some(block);
    }
    drop(blocks);
    depart_later(estate)
}

/// Has this thread allocate while it ends.
fn depart_later(estate: &'static Estate) -> Result<(), Ended> {
    let mut keepsake = Block::take(How::Fresh, 500, 8)?;
    keepsake.fill(9);
    DEPARTURE.with(|departure| departure.0.set(Some((estate, keepsake))));
    Ok(())
}

thread_local! {
    static DEPARTURE: Departure = const { Departure(Cell::new(None)) };
}

/// Gives a block back that its thread took, and takes others, when the thread ends.
struct Departure(Cell<Option<(&'static Estate, Block)>>);

impl Drop for Departure {
    fn drop(&mut self) {
        let Some((estate, keepsake)) = self.0.take() else { return };
        if let Err(ended) = keepsake.check_and_give_back().and_then(|()| work(10)) {
            *estate.last_words.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
        }
    }
}

/// Takes blocks and gives them back.
fn work(seed: u64) -> Result<(), Ended> {
    let mut rng = Rng::with_seed(seed);
    for round in 0..4 {
        let mut blocks: [Option<Block>; 64] = [None; 64];
        for slot in &mut blocks {
            let how = if rng.bool() { How::Zeroed } else { How::Fresh };
            let mut block = Block::take(how, size_between(&mut rng, 3, 16), 8)?;
            block.fill(seed + round);
            *slot = Some(block);
        }
        blocks.into_iter().flatten().try_for_each(Block::check_and_give_back)?;
    }
    Ok(())
}

/// Grows every other block of a thread that is gone, and gives some back.
fn inherit(estate: &'static Estate, _: usize) -> Result<(), Ended> {
    each(estate, |number, block| {
        if number % 2 == 0 {
            block.resize(block.size() * 2 + 1)?;
            block.fill(number as u64);
        }
        Ok(())
    })?;
    let mut blocks = estate.blocks.lock().unwrap_or_else(PoisonError::into_inner);
    blocks.iter_mut().step_by(3).filter_map(Option::take).try_for_each(Block::check_and_give_back)?;
    drop(blocks);
    depart_later(estate)
}

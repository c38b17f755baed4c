//! Threads that come and go: what an allocator keeps for each must go with it.

use std::sync::{Mutex, PoisonError};

use crate::Promises;
use crate::block::{Block, How};
use crate::books::shared;
use crate::crew::Crew;
use crate::ended::{Checked, Ended};
use crate::memory::{Growth, MIB};
use crate::stage::stage;

/// Threads that live at once.
const ABREAST: usize = 4;

/// Threads in all.
const THREADS: usize = 10_000;

/// Threads between one look at memory and the next.
const STRIDE: usize = 500;

/// What memory may grow by all the same: 4 KiB for each thread between the first and the last looks.
const GROWTH: usize = 24 * MIB;

/// The last block of each thread, which outlives it.
type Left = [Mutex<Option<Block>>; ABREAST];

/// Every thread takes some blocks, gives all back but one, and ends.
pub(crate) fn short_threads(_: Promises) -> Checked {
    let left: &'static Left = shared([const { Mutex::new(None) }; ABREAST])?;
    let crew = Crew::<_, ABREAST>::new(left, live_shortly)?;
    let mut growth = Growth::over(THREADS / STRIDE);
    for round in 0..THREADS / STRIDE {
        stage(format_args!("threads from {} on", round * STRIDE));
        for _ in 0..STRIDE / ABREAST {
            crew.run()?;
            for slot in left {
                let block = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
                block.map_or(Ok(()), Block::check_and_give_back)?;
            }
        }
        growth.look(round)?;
    }
    growth.bounded("10,000 threads that came and went", GROWTH)
}

fn live_shortly(left: &'static Left, number: usize) -> Result<(), Ended> {
    let mut blocks: [Option<Block>; 24] = [None; 24];
    for (index, slot) in blocks.iter_mut().enumerate() {
        // From 16 bytes to 10 KiB, so that several size classes need a page.
        let mut block = Block::take(How::Fresh, 16 + index * index * 20, 8)?;
        block.fill((number * 100 + index) as u64);
        *slot = Some(block);
    }
    // One of 8,016 bytes: were those of all threads lost, it would show.
    *left[number].lock().unwrap_or_else(PoisonError::into_inner) = blocks[20].take();
    blocks.into_iter().flatten().try_for_each(Block::check_and_give_back)
}

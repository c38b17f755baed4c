//! Every size: a block holds all that was asked for, however close its neighbours lie.

use crate::Promises;
use crate::block::{Block, How};
use crate::ended::{Checked, Ended};
use crate::spans::Spans;
use crate::stage::stage;

/// Blocks of one size that are live at once: allocators put blocks of a size beside each other.
const NEIGHBOURS: usize = 16;

/// All sizes up to two pages, then those around the boundaries that allocators have.
pub(crate) fn sizes(_: Promises) -> Checked {
    let mut spans = Spans::with_room(NEIGHBOURS)?;
    for size in 1..=8192 {
        if size % 512 == 1 {
            stage(format_args!("sizes from {size} on"));
        }
        neighbours(size, NEIGHBOURS, &mut spans)?;
    }
    // Pages, and the classes between powers of two: most allocators have four or eight of them.
    let pages = (3..=64).map(|pages| pages * 4096);
    let classes = (13..=19).flat_map(|exponent| (8..16).map(move |eighth| (eighth << exponent) / 8));
    for boundary in pages.chain(classes) {
        stage(format_args!("sizes around {boundary}"));
        for size in [boundary - 16, boundary - 8, boundary - 1, boundary, boundary + 1, boundary + 8] {
            neighbours(size, 4, &mut spans)?;
        }
    }
    Ok("")
}

/// Takes blocks of one size, fills all of them from edge to edge, and then looks whether each holds what was written; then again when
/// every other block has been given back, and when its place has been taken, since that may write to the blocks beside it.
fn neighbours(size: usize, count: usize, spans: &mut Spans) -> Result<(), Ended> {
    let mut blocks: [Option<Block>; NEIGHBOURS] = [None; NEIGHBOURS];
    take(&mut blocks[..count], size, spans)?;
    let seed = |number: usize| (size * NEIGHBOURS + number) as u64;
    blocks.iter_mut().flatten().enumerate().for_each(|(number, block)| block.fill(seed(number)));
    blocks.iter().flatten().try_for_each(Block::check)?;
    for slot in blocks[..count].iter_mut().step_by(2) {
        give_back(slot, spans);
    }
    blocks.iter().flatten().try_for_each(Block::check)?;
    take(&mut blocks[..count], size, spans)?;
    blocks.iter_mut().step_by(2).flatten().enumerate().for_each(|(number, block)| block.fill(!seed(number)));
    blocks.iter().flatten().try_for_each(Block::check)?;
    for slot in &mut blocks {
        give_back(slot, spans);
    }
    Ok(())
}

/// Takes a block for every slot that has none.
fn take(slots: &mut [Option<Block>], size: usize, spans: &mut Spans) -> Result<(), Ended> {
    for (number, slot) in slots.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
        let how = if number % 4 == 3 { How::Zeroed } else { How::Fresh };
        let block = Block::take(how, size, 1)?;
        // Before anything is written: a byte too much could be the allocator's own.
        spans.add(&block)?;
        *slot = Some(block);
    }
    Ok(())
}

fn give_back(slot: &mut Option<Block>, spans: &mut Spans) {
    if let Some(block) = slot.take() {
        spans.remove(&block);
        block.give_back();
    }
}

//! Free memory goes back to the kernel where the allocator can be asked for it.

use fastrand::Rng;
use heapmark_protocol::Finding;

use super::size_between;
use crate::Promises;
use crate::block::{Block, How};
use crate::books::table;
use crate::ended::{Checked, found, keep, skipped};
use crate::memory::{MIB, in_use};
use crate::stage::stage;

/// Blocks at the height of it: together some 100 MiB.
const BLOCKS: usize = 24_000;

/// One block in so many stays: it holds its page, and with it perhaps more.
const STAYS: usize = 200;

/// Takes many blocks, gives nearly all back in a random order, and asks the allocator to give the memory back. Half of it may
/// stay, since live blocks lie between; and what lives must be as it was.
pub(crate) fn purge(promises: Promises) -> Checked {
    let purge = promises.purge.ok_or_else(|| skipped(format_args!("no purge is promised")))?;
    let live: &mut [Option<Block>] = table(BLOCKS, None)?;
    let mut rng = Rng::with_seed(12);
    let base = in_use()?;
    stage(format_args!("{BLOCKS} blocks"));
    for (index, slot) in live.iter_mut().enumerate() {
        let mut block = Block::take(How::Fresh, size_between(&mut rng, 4, 15), 8)?;
        block.fill(index as u64);
        *slot = Some(block);
    }
    let peak = in_use()?.saturating_sub(base);
    rng.shuffle(live);
    live.iter_mut().skip(BLOCKS / STAYS).filter_map(Option::take).for_each(Block::give_back);
    let free = in_use()?.saturating_sub(base);
    stage(format_args!("the purge"));
    purge();
    let left = in_use()?.saturating_sub(base);
    stage(format_args!("what stayed"));
    live.iter().flatten().try_for_each(Block::check)?;
    for (index, slot) in live.iter_mut().enumerate().skip(BLOCKS / STAYS) {
        let mut block = Block::take(How::Fresh, size_between(&mut rng, 4, 12), 8)?;
        block.fill(index as u64);
        *slot = Some(block);
    }
    for slot in live {
        slot.take().map_or(Ok(()), Block::check_and_give_back)?;
    }
    let [peak, free, after] = [peak, free, left].map(|bytes| bytes / MIB);
    let numbers =
        format_args!("resident: {peak} MiB of blocks, {free} after one in {STAYS} was left, {after} after the purge");
    if after > peak / 2 { Err(found(Finding::Retained, numbers)) } else { Ok(keep(numbers)) }
}

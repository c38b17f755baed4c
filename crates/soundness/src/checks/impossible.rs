//! Sizes that no machine has: null, and nothing else happens.

use heapmark_protocol::Finding;

use crate::Promises;
use crate::block::{Block, How};
use crate::ended::{Checked, Ended, found};
use crate::spans::Spans;
use crate::stage::stage;

/// The most that a layout may have.
const MOST: usize = isize::MAX.unsigned_abs();

/// Blocks that are taken after a block could not be grown: one of them would be the old block, had that been given back.
const AFTER: usize = 64;

/// Asks for sizes up to the greatest that a layout may have, fresh, zeroed and by growing a block.
pub(crate) fn impossible(_: Promises) -> Checked {
    // The least is 1 PiB: Linux maps nothing beyond 48 bits of address unless a program asks for an address there.
    for size in [1 << 50, 1 << 56, 1 << 60, MOST / 2, MOST / 2 + 1, MOST - (1 << 21), MOST - 8191, MOST] {
        for align in [1, 8, 16, 64, 4096, 1 << 16] {
            // Rounded up to the alignment, a layout may have no more than that either.
            let size = size.min(MOST - (align - 1));
            stage(format_args!("{size} bytes aligned to {align}"));
            for how in [How::Fresh, How::Zeroed] {
                if Block::try_take(how, size, align).is_some() {
                    return Err(granted(how.word(), size, align));
                }
            }
            // Not every allocator has blocks aligned to more than a page, which are another check's subject.
            let olds: &[usize] = if align <= 4096 { &[24, 1000, 200_000] } else { &[] };
            for old in olds {
                grown(*old, size, align)?;
            }
        }
    }
    Ok("")
}

fn granted(call: &str, size: usize, align: usize) -> Ended {
    found(Finding::Granted, format_args!("{call} of {size} bytes aligned to {align}: not null"))
}

/// A block cannot be grown to such a size, and is what it was.
fn grown(old: usize, size: usize, align: usize) -> Result<(), Ended> {
    let mut block = Block::take(How::Fresh, old, align)?;
    block.fill(old as u64);
    if block.try_resize(size) {
        return Err(granted("realloc", size, align));
    }
    block.check()?;
    let mut spans = Spans::with_room(AFTER + 1)?;
    spans.add(&block)?;
    let mut others: [Option<Block>; AFTER] = [None; AFTER];
    // Large ones would each be a mapping of their own; a few are enough.
    for (number, slot) in others.iter_mut().enumerate().take(if old > 4096 { 4 } else { AFTER }) {
        let mut other = Block::take(How::Fresh, old, align)?;
        spans.add(&other)?;
        other.fill(number as u64);
        *slot = Some(other);
    }
    block.resize(old + old / 2)?;
    block.give_back();
    others.into_iter().flatten().try_for_each(Block::check_and_give_back)
}

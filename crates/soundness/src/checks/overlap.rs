//! No two live blocks share a byte, by their addresses and by what they hold.

use fastrand::Rng;

use super::size_between;
use crate::Promises;
use crate::block::{Block, How};
use crate::books::table;
use crate::ended::{Checked, Ended};
use crate::spans::Spans;
use crate::stage::stage;

/// Blocks that are live at once, at most.
const LIVE: usize = 3000;

/// Takes and gives back blocks at random, in several mixtures of sizes.
pub(crate) fn overlap(_: Promises) -> Checked {
    let live: &mut [Option<Block>] = table(LIVE, None)?;
    let mut spans = Spans::with_room(LIVE)?;
    let mut rng = Rng::with_seed(5);
    for (least, most, steps) in [(4, 7, 40_000), (0, 11, 40_000), (5, 16, 20_000), (10, 19, 4000)] {
        stage(format_args!("blocks of {} up to {} bytes", 1_usize << least, 1_usize << most));
        // As much memory in each mixture, or what the table holds.
        let slots = LIVE.min((64 << 20) >> most);
        for step in 0..steps {
            let slot = &mut live[rng.usize(..slots)];
            if let Some(block) = slot.take() {
                spans.remove(&block);
                block.check_and_give_back()?;
            } else {
                let how = if rng.u32(..8) == 0 { How::Zeroed } else { How::Fresh };
                let align = if rng.u32(..8) == 0 { 1 << rng.u32(..10) } else { 8 };
                let mut block = Block::take(how, size_between(&mut rng, least, most), align)?;
                spans.add(&block)?;
                block.fill(step);
                *slot = Some(block);
            }
        }
        all_back(live, &mut spans)?;
    }
    Ok("")
}

fn all_back(live: &mut [Option<Block>], spans: &mut Spans) -> Result<(), Ended> {
    for slot in live {
        if let Some(block) = slot.take() {
            spans.remove(&block);
            block.check_and_give_back()?;
        }
    }
    Ok(())
}

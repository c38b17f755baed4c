//! Zeroed blocks: of memory that was used before, by blocks of the same size and of others.

use fastrand::Rng;

use super::size_between;
use crate::Promises;
use crate::block::{Block, How};
use crate::books::table;
use crate::ended::{Checked, Ended};
use crate::memory::MIB;
use crate::stage::stage;

/// From the smallest to what comes from the kernel each time, with neighbours of the usual boundaries.
const SIZES: [usize; 54] = [
    1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 100, 127, 128, 129, 200, 256, 257, 384, 512, 513,
    777, 1000, 1024, 1025, 1500, 2000, 2048, 3000, 4095, 4096, 4097, 5000, 8192, 10_000, 16_384, 20_000, 32_768,
    40_000, 65_536, 100_000, 131_072, 200_000, 262_144, 400_000, 524_288, 1_048_576, 3_000_000,
];

/// Blocks of one size that are live at once.
const MOST: usize = 32;

/// First size by size, then all mixed.
pub(crate) fn zeroed(_: Promises) -> Checked {
    for size in SIZES {
        for align in [1, 16, 256] {
            stage(format_args!("zeroed blocks of {size} bytes aligned to {align}"));
            of_one_size(size, align)?;
        }
    }
    stage(format_args!("zeroed blocks of all sizes"));
    mixed()?;
    Ok("")
}

/// Has blocks of a size written to and given back, then takes zeroed ones of the same size, twice.
fn of_one_size(size: usize, align: usize) -> Result<(), Ended> {
    let count = (2 * MIB / size).clamp(2, MOST);
    let mut blocks: [Option<Block>; MOST] = [None; MOST];
    for how in [How::Fresh, How::Zeroed, How::Zeroed] {
        for (number, slot) in blocks.iter_mut().take(count).enumerate() {
            let mut block = Block::take(how, size, align)?;
            if how == How::Zeroed {
                block.check_zero()?;
            }
            block.fill((size + number) as u64);
            *slot = Some(block);
        }
        for slot in &mut blocks {
            slot.take().map_or(Ok(()), Block::check_and_give_back)?;
        }
    }
    Ok(())
}

/// Takes and gives back blocks of all sizes, every other one zeroed, so that memory comes to new boundaries.
fn mixed() -> Result<(), Ended> {
    let live: &mut [Option<Block>] = table(400, None)?;
    let mut rng = Rng::with_seed(3);
    for step in 0..30_000 {
        let slot = &mut live[rng.usize(..400)];
        if let Some(block) = slot.take() {
            block.check_and_give_back()?;
            continue;
        }
        let how = if step % 2 == 0 { How::Zeroed } else { How::Fresh };
        let mut block = Block::take(how, size_between(&mut rng, 0, 17), 1 << rng.u32(..6))?;
        if how == How::Zeroed {
            block.check_zero()?;
        }
        block.fill(step);
        *slot = Some(block);
    }
    for slot in live {
        slot.take().map_or(Ok(()), Block::check_and_give_back)?;
    }
    Ok(())
}

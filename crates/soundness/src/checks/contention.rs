//! Threads that allocate at the same time and give each other's blocks back.

use std::mem::replace;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use fastrand::Rng;

use super::size_between;
use crate::Promises;
use crate::block::{Block, How};
use crate::books::shared;
use crate::crew::Crew;
use crate::ended::{Checked, Ended};
use crate::stage::stage;

/// More than small machines have processors: threads are then also stopped in the middle of things.
const THREADS: usize = 4;

/// Blocks that are on their way from thread to thread.
const SLOTS: usize = 128;

/// Blocks that each thread takes in each mixture.
const STEPS: u64 = 25_000;

/// Where threads put blocks, and take those of others.
struct Exchange {
    slots: [Mutex<Option<Block>>; SLOTS],
    /// Sizes lie between these powers of two.
    least: u32,
    most: u32,
    /// One thread has found something; what the others do now may only do harm.
    over: AtomicBool,
}

/// Every thread writes into its blocks what nobody else writes, and looks at those it got before it gives them back.
pub(crate) fn contention(_: Promises) -> Checked {
    // First all want the same size, where the locks are; then all sizes.
    for (least, most) in [(6, 7), (3, 11), (3, 15)] {
        stage(format_args!("{THREADS} threads with blocks of {} up to {} bytes", 1_u32 << least, 1_u32 << most));
        let slots = [const { Mutex::new(None) }; SLOTS];
        let exchange = shared(Exchange { slots, least, most, over: AtomicBool::new(false) })?;
        Crew::<_, THREADS>::new(exchange, trade)?.run()?;
        for slot in &exchange.slots {
            swap(slot, None).map_or(Ok(()), Block::check_and_give_back)?;
        }
    }
    Ok("")
}

fn trade(exchange: &'static Exchange, thread: usize) -> Result<(), Ended> {
    let result = trade_until_over(exchange, thread as u64);
    if result.is_err() {
        exchange.over.store(true, Ordering::Relaxed);
    }
    result
}

fn trade_until_over(exchange: &Exchange, thread: u64) -> Result<(), Ended> {
    let mut rng = Rng::with_seed(thread);
    for step in 0..STEPS {
        if exchange.over.load(Ordering::Relaxed) {
            break;
        }
        let mut mine = Block::take(How::Fresh, size_between(&mut rng, exchange.least, exchange.most), 8)?;
        mine.fill(thread * STEPS + step);
        // Whoever is stopped here leaves time to those with the same memory, if there are any.
        if step % 64 == 0 {
            std::thread::yield_now();
        }
        mine.check()?;
        let Some(mut theirs) = swap(&exchange.slots[rng.usize(..SLOTS)], Some(mine)) else { continue };
        theirs.check()?;
        if step % 8 == 0 {
            theirs.resize(theirs.size() * 2)?;
        }
        theirs.give_back();
    }
    Ok(())
}

fn swap(slot: &Mutex<Option<Block>>, block: Option<Block>) -> Option<Block> {
    replace(&mut *slot.lock().unwrap_or_else(PoisonError::into_inner), block)
}

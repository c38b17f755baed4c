//! A thread that only frees.
//!
//! Models a reclaimer: producers hold a fixed set of blocks, and whatever they replace goes to one thread that frees it and
//! never allocates. An allocator in which freed blocks are reused by the thread that freed them has a thread here that will
//! never need any.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::SETTLE_MS;
use super::script::{Maker, Script};
use crate::blocks::Block;
use crate::lock::locked;
use crate::memory_limit::within_memory;
use crate::models::{SizesKind, Touch, max_size, min_size, sizes, touch};
use crate::random::stream;
use crate::relay::AbortOnPanic;

/// Producers, and one who frees for all of them.
#[derive(Debug)]
pub(crate) struct FreeOnly;

/// How many blocks the reclaimer takes at a time at most.
const BULK: usize = 64;

static ABOUT: About = About {
    name: "memory/free-only",
    summary: "replaces blocks of a fixed live set; one thread that never allocates frees the old ones",
    unit: "block",
    details: "Each thread holds its part of a live set of blocks, 592 bytes each unless set otherwise, and replaces one at \
              random with each unit; the old one goes through a bounded queue to the one thread that frees for all. The queue \
              is made beforehand. Live bytes are constant but for what is in the queue. Read from it resident memory and \
              blow-up: where freed blocks are kept for the thread that freed them, they pile up with one that will never \
              need any. With reclaimer=allocates-first that thread has allocated once before, which has been reported to \
              make the difference.",
    parameters: &[
        Parameter::number("live_kib", 32_768, 1, 1 << 30, "KiB of the live set, over all threads"),
        Parameter::number("capacity", 1024, 1, 65_536, "blocks that wait to be freed at most"),
        Parameter::choice(
            "reclaimer",
            &["never-allocates", "allocates-first"],
            "what the thread that frees has done before",
        ),
        sizes(SizesKind::Fixed),
        min_size(592),
        max_size(592),
        touch(Touch::All),
        Parameter::threads(),
    ],
};

impl Workload for FreeOnly {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn settle_ms(&self) -> &'static [u64] {
        SETTLE_MS
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let capacity = setup.size("capacity");
        let script = Script::of(ABOUT.name, setup)?;
        let live = script.blocks_in((setup.size("live_kib") << 10) / lanes);
        within_memory(ABOUT.name, lanes, script.bytes_of(live * lanes + capacity))?;
        let allocates = setup.choice("reclaimer") == "allocates-first";
        let reclaimer = Reclaimer::start(lanes, capacity, allocates);
        Ok(Box::new(Producers { seed: setup.seed, lanes, live, script, reclaimer }))
    }
}

struct Producers {
    seed: u64,
    lanes: usize,
    /// Blocks that a lane holds.
    live: usize,
    script: Script,
    reclaimer: Reclaimer,
}

impl Job for Producers {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let mut maker = self.script.maker(index as u64);
        let live = (0..self.live).map(|_| maker.block()).collect();
        let rng = stream(self.seed, index as u64);
        Box::new(Producer { yard: &self.reclaimer.yard, index, maker, rng, live, given: 0 })
    }
}

/// Where blocks wait to be freed, and what has been freed.
struct Yard {
    state: Mutex<State>,
    capacity: usize,
    /// Blocks have come, or nobody will bring any more.
    filled: Condvar,
    /// Blocks have gone, or been freed.
    emptied: Condvar,
}

struct State {
    waiting: VecDeque<(usize, Block)>,
    /// By lane.
    freed: Vec<Freed>,
    /// Whether the reclaimer sleeps: nobody is woken up who does not.
    is_idle: bool,
    /// How many producers wait for something.
    waiters: usize,
    is_closed: bool,
}

/// What was freed of one lane's blocks.
#[derive(Clone, Copy, Debug, Default)]
struct Freed {
    count: u64,
    sum: u64,
}

impl Yard {
    fn give(&self, lane: usize, block: Block) {
        let mut state = self.wait_while(|state| state.waiting.len() == self.capacity);
        state.waiting.push_back((lane, block));
        if std::mem::take(&mut state.is_idle) {
            drop(state);
            self.filled.notify_one();
        }
    }

    /// Waits for the reclaimer as long as this holds.
    fn wait_while(&self, holds: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let mut state = locked(&self.state);
        while holds(&state) {
            state.waiters += 1;
            state = self.emptied.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiters -= 1;
        }
        state
    }

    /// Waits until so many of a lane's blocks are freed; what was read in them since the last time.
    fn wait_for(&self, lane: usize, count: u64) -> u64 {
        let mut state = self.wait_while(|state| state.freed[lane].count < count);
        std::mem::take(&mut state.freed[lane].sum)
    }

    /// Frees what comes until nobody brings any more. `taken` has room for [`BULK`] blocks.
    fn free_all(&self, taken: &mut Vec<(usize, Block)>, freed: &mut [Freed]) {
        let mut state = locked(&self.state);
        loop {
            for (total, more) in state.freed.iter_mut().zip(&mut *freed) {
                let Freed { count, sum } = std::mem::take(more);
                (total.count, total.sum) = (total.count + count, total.sum.wrapping_add(sum));
            }
            if state.waiters > 0 {
                self.emptied.notify_all();
            }
            while state.waiting.is_empty() {
                if state.is_closed {
                    return;
                }
                state.is_idle = true;
                state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let bulk = state.waiting.len().min(BULK);
            taken.extend(state.waiting.drain(..bulk));
            drop(state);
            for (lane, block) in taken.drain(..) {
                freed[lane].count += 1;
                freed[lane].sum = freed[lane].sum.wrapping_add(block.free());
            }
            state = locked(&self.state);
        }
    }
}

/// The thread that only frees. It ends when this is dropped.
struct Reclaimer {
    yard: Arc<Yard>,
    thread: Option<JoinHandle<()>>,
}

impl Reclaimer {
    fn start(lanes: usize, capacity: usize, allocates: bool) -> Self {
        let state = State {
            waiting: VecDeque::with_capacity(capacity),
            freed: vec![Freed::default(); lanes],
            is_idle: false,
            waiters: 0,
            is_closed: false,
        };
        let (filled, emptied) = (Condvar::new(), Condvar::new());
        let yard = Arc::new(Yard { state: Mutex::new(state), capacity, filled, emptied });
        let theirs = Arc::clone(&yard);
        // All that it needs is made here, so that it never allocates itself.
        let (mut taken, mut freed) = (Vec::with_capacity(BULK), vec![Freed::default(); lanes]);
        let thread = std::thread::spawn(move || {
            let _guard = AbortOnPanic;
            if allocates {
                drop(std::hint::black_box(Box::new(0_u64)));
            }
            theirs.free_all(&mut taken, &mut freed);
        });
        Self { yard, thread: Some(thread) }
    }
}

impl Drop for Reclaimer {
    fn drop(&mut self) {
        locked(&self.yard.state).is_closed = true;
        self.yard.filled.notify_one();
        if let Some(thread) = self.thread.take() {
            // It cannot have panicked: that would have ended the process.
            let _ = thread.join();
        }
    }
}

struct Producer<'a> {
    yard: &'a Yard,
    index: usize,
    maker: Maker,
    rng: Rng,
    live: Vec<Block>,
    /// Blocks given to be freed so far.
    given: u64,
}

impl Lane for Producer<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let share = turn.share();
        for _ in 0..share {
            let place = self.rng.usize(..self.live.len());
            let old = std::mem::replace(&mut self.live[place], self.maker.block());
            self.yard.give(self.index, old);
        }
        self.given += share;
        Tally { count: share, checksum: self.yard.wait_for(self.index, self.given) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_freed_and_counted_for_its_lane() {
        for (capacity, allocates) in [(1, false), (7, true), (1000, false)] {
            let reclaimer = Reclaimer::start(3, capacity, allocates);
            let yard = &reclaimer.yard;
            std::thread::scope(|scope| {
                for lane in 0..3 {
                    scope.spawn(move || {
                        let mut expected = 0_u64;
                        for key in 0..500 {
                            let block = Block::new(32, key + 1000 * lane as u64, Touch::All);
                            expected = expected.wrapping_add(block.stamp());
                            yard.give(lane, block);
                        }
                        assert_eq!(yard.wait_for(lane, 500), expected);
                        assert_eq!(yard.wait_for(lane, 500), 0, "what was told is not told again");
                    });
                }
            });
        }
    }
}

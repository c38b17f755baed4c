//! Threads that are started, allocate a little, and end.

use std::thread;

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use crate::blocks::Block;
use crate::memory_limit::within_memory;
use crate::models::Touch;
use crate::random::scatter;

/// Thread churn.
#[derive(Debug)]
pub(crate) struct Mleak;

static ABOUT: About = About {
    name: "classic/mleak",
    summary: "starts threads, has each allocate and free a block, and joins them",
    unit: "thread",
    details: "Starts ten threads at a time; each allocates a block of 128 bytes, frees it and ends, and all are joined \
              before the next ten start. Stresses what an allocator makes for a thread at its first allocation and \
              what it does when the thread ends. Most of the time is the system's, for starting threads, so throughput \
              differs little; read memory: it must not grow with the number of threads that have been. From \
              mimalloc-bench's mleak (2019). What that suite calls mleak10 and mleak100 are 5 and 50 repetitions of a \
              hundred rounds; here the unit is a thread, and the work is calibrated. The lanes' threads start them, \
              each its part of the ten.",
    parameters: &[
        Parameter::number(
            "together",
            10,
            1,
            1024,
            "threads that run at the same time, over all that start them; at least one for each",
        ),
        Parameter::number("blocks", 1, 1, MOST as u64, "blocks that each allocates before it frees them"),
        Parameter::number("size", 128, 8, 1 << 20, "bytes of each block"),
        Parameter::threads(),
    ],
};

/// Blocks that a thread can hold, on its stack.
const MOST: usize = 64;

impl Workload for Mleak {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, blocks, size) = (setup.size("threads"), setup.size("blocks"), setup.size("size"));
        let together = setup.size("together").div_ceil(lanes);
        // A thread's stack and heap count with what they have touched at least.
        within_memory(ABOUT.name, lanes, ((size * blocks + (64 << 10)) * together * lanes) as u64)?;
        Ok(Box::new(Plan { seed: setup.seed, lanes, together, blocks, size }))
    }
}

struct Plan {
    seed: u64,
    lanes: usize,
    /// Threads that one lane starts at once.
    together: usize,
    blocks: usize,
    size: usize,
}

impl Job for Plan {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        Box::new(Starter { plan: self, key: scatter(scatter(self.seed) ^ index as u64) })
    }
}

struct Starter<'a> {
    plan: &'a Plan,
    key: u64,
}

impl Lane for Starter<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut checksum = 0_u64;
        let mut left = turn.share();
        while left > 0 {
            let started = left.min(self.plan.together as u64);
            left -= started;
            let (keys, plan) = (self.key..self.key.wrapping_add(started), self.plan);
            self.key = keys.end;
            checksum = checksum.wrapping_add(thread::scope(|scope| {
                let mut threads = Vec::with_capacity(plan.together);
                threads.extend((0..started).map(|thread| {
                    let key = keys.start.wrapping_add(thread);
                    scope.spawn(move || live_and_die(key, plan.blocks, plan.size))
                }));
                let ended = threads.into_iter().map(|thread| thread.join().expect("a panic has ended it"));
                ended.fold(0, u64::wrapping_add)
            }));
        }
        Tally { count: turn.share(), checksum }
    }
}

/// What one thread does.
fn live_and_die(key: u64, blocks: usize, size: usize) -> u64 {
    let mut held = [const { None }; MOST];
    for slot in &mut held[..blocks] {
        *slot = Some(Block::new(size, key, Touch::First));
    }
    // Without this the compiler could see that nobody else ever gets to see the blocks, and leave them out.
    std::hint::black_box(&mut held)
        .iter_mut()
        .filter_map(Option::take)
        .fold(0, |sum, block| sum.wrapping_add(block.free()))
}

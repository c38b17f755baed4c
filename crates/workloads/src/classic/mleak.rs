//! Threads that are started, allocate a little, leave it behind, and end.

use std::thread;

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use crate::blocks::{Block, Table};
use crate::memory_limit::within_memory;
use crate::models::Touch;
use crate::random::scatter;

/// Thread churn.
#[derive(Debug)]
pub(crate) struct Mleak;

static ABOUT: About = About {
    name: "classic/mleak",
    summary: "starts threads, has each allocate a block and free one that an earlier thread left, and joins them",
    unit: "thread",
    details: "Starts ten threads at a time; each allocates a block of 128 bytes, puts it at a random place of a table, \
              frees the block that was there, and ends; all are joined before the next ten start. So a block outlives \
              the thread that allocated it, and is freed by another one. Stresses what an allocator makes for a thread \
              at its first allocation, and what becomes of it when the thread ends while its block is still alive. \
              Most of the time is the system's, for starting threads; read memory too: it must not grow with the \
              number of threads that have been. From mimalloc-bench's mleak (2019). What that suite calls mleak10 and \
              mleak100 are 5 and 50 repetitions of a hundred rounds; here the unit is a thread, and the work is \
              calibrated. The lanes' threads start them, each its part of the ten. Which block a thread finds depends \
              on who came first, so the checksum counts blocks where they are made; a block that is not what it was \
              when it is freed changes it.",
    parameters: &[
        Parameter::number(
            "together",
            10,
            1,
            1024,
            "threads that run at the same time, over all that start them; at least one for each",
        ),
        Parameter::number("blocks", 1, 1, 64, "blocks that each allocates and frees"),
        Parameter::number("size", 128, 8, 1 << 20, "bytes of each block"),
        Parameter::number("transfers", 1000, 1, 1_000_000, "places in the table where blocks are left"),
        Parameter::threads(),
    ],
};

impl Workload for Mleak {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, blocks, size) = (setup.size("threads"), setup.size("blocks"), setup.size("size"));
        let transfers = setup.size("transfers");
        let together = setup.size("together").div_ceil(lanes);
        // A thread's stack and heap count with what they have touched at least; so does a heap that is left with a block.
        let threads = (size + (64 << 10)) * together * lanes;
        within_memory(ABOUT.name, lanes, (threads + (size + 24) * transfers) as u64)?;
        Ok(Box::new(Plan { seed: setup.seed, lanes, together, blocks, size, table: Table::new(transfers) }))
    }
}

struct Plan {
    seed: u64,
    lanes: usize,
    /// Threads that one lane starts at once.
    together: usize,
    blocks: usize,
    size: usize,
    table: Table,
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
                    scope.spawn(move || live_and_die(plan, key))
                }));
                let ended = threads.into_iter().map(|thread| thread.join().expect("a panic has ended it"));
                ended.fold(0, u64::wrapping_add)
            }));
        }
        Tally { count: turn.share(), checksum }
    }
}

/// What one thread does: what it allocated, and what was wrong with what it freed.
fn live_and_die(plan: &Plan, key: u64) -> u64 {
    let places = plan.table.len() as u64;
    let mut checksum = 0_u64;
    for block in 0..plan.blocks as u64 {
        let new = Block::new(plan.size, key, Touch::First);
        checksum = checksum.wrapping_add(new.stamp());
        let place = usize::try_from(scatter(key ^ block << 32) % places).unwrap_or_default();
        if let Some(old) = plan.table.swap(place, Some(new)) {
            checksum = checksum.wrapping_add(old.discard());
        }
    }
    checksum
}

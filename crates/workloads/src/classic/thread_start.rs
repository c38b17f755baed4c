//! Many threads that make their first allocation at the same moment.

use std::sync::Barrier;
use std::thread;

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use crate::blocks::Block;
use crate::memory_limit::within_memory;
use crate::models::{Cycle, Sizes, SizesKind, Touch, max_size, min_size, sizes, touch};
use crate::random::{scatter, stream};

/// The first allocation of many threads at once.
#[derive(Debug)]
pub(crate) struct ThreadStart;

static ABOUT: About = About {
    name: "classic/thread-start",
    summary: "starts many threads that all make their first allocations at the same moment",
    unit: "start",
    details: "A unit starts the threads and holds them at a barrier; when all are there, each makes its first \
              allocations, sixteen blocks of different sizes, frees them and ends. Stresses how an allocator sets up a \
              thread's heap when all ask for it at once: global locks, arenas, first touches of fresh pages. Much of \
              the time is the system's, for starting threads. Read CPU time and system time over the number of \
              threads. From snmalloc's startup test (snmalloc: A Message Passing Allocator, ISMM 2019), which does it \
              once for each hardware thread and prints times; here it is repeated, in the same process, so that only \
              the first start finds the allocator wholly unprepared.",
    parameters: &[
        Parameter::number("blocks", 16, 1, MOST as u64, "blocks that each thread allocates before it frees them"),
        sizes(SizesKind::LogUniform),
        min_size(8),
        max_size(65_536),
        touch(Touch::First),
        Parameter::threads(),
    ],
};

/// Blocks that a thread can hold, on its stack.
const MOST: usize = 64;

impl Workload for ThreadStart {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (threads, blocks) = (setup.size("threads"), setup.size("blocks"));
        let sizes = Sizes::of(ABOUT.name, setup)?;
        // A thread's stack and heap count with what they have touched at least.
        within_memory(ABOUT.name, threads, (((sizes.mean() + 24) * blocks + (64 << 10)) * threads) as u64)?;
        Ok(Box::new(Plan {
            seed: setup.seed,
            threads,
            blocks,
            touch: Touch::of(setup),
            sizes: sizes.cycle(&mut stream(setup.seed, threads as u64)),
        }))
    }
}

struct Plan {
    seed: u64,
    threads: usize,
    blocks: usize,
    touch: Touch,
    sizes: Cycle,
}

impl Job for Plan {
    /// Only one thread stays.
    fn lanes(&self) -> usize {
        1
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
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            tally.add(self.start());
        }
        tally
    }
}

impl Starter<'_> {
    fn start(&mut self) -> u64 {
        let plan = self.plan;
        let first = self.key;
        self.key = first.wrapping_add(plan.threads as u64);
        let barrier = Barrier::new(plan.threads);
        thread::scope(|scope| {
            let mut threads = Vec::with_capacity(plan.threads);
            threads.extend((0..plan.threads as u64).map(|thread| {
                let (barrier, key) = (&barrier, first.wrapping_add(thread));
                scope.spawn(move || {
                    let sizes = plan.sizes.from(scatter(key));
                    barrier.wait();
                    first_allocations(plan, key, sizes)
                })
            }));
            let ended = threads.into_iter().map(|thread| thread.join().expect("a panic has ended it"));
            ended.fold(0, u64::wrapping_add)
        })
    }
}

/// What one thread does once all are there.
fn first_allocations(plan: &Plan, key: u64, mut sizes: Cycle) -> u64 {
    let mut held = [const { None }; MOST];
    for slot in &mut held[..plan.blocks] {
        *slot = Some(Block::new(sizes.next(), key, plan.touch));
    }
    held.iter_mut().filter_map(Option::take).fold(0, |sum, block| sum.wrapping_add(block.free()))
}

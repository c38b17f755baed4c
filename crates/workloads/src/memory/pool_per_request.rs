//! A pool of threads built and torn down for each request.
//!
//! Models servers that start workers for a request and join them when it is done. Each worker allocates blocks, hands some of
//! them to the thread that waits for it, and ends. What the worker's thread cache and arena hold must find somebody else, or
//! stays with a thread that is gone.

use std::thread;

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::SETTLE_MS;
use super::script::{Maker, Script};
use crate::blocks::Block;
use crate::memory_limit::within_memory;
use crate::models::{SizesKind, Touch, max_size, min_size, sizes, touch};

/// A pool for each request.
#[derive(Debug)]
pub(crate) struct PoolPerRequest;

static ABOUT: About = About {
    name: "memory/pool-per-request",
    summary: "starts a pool of threads for each request, and frees what they leave after they have ended",
    unit: "request",
    details: "For each request fresh threads are started. Each allocates its part of the request in blocks of 64 bytes to \
              256 KiB, frees some of them itself and leaves the rest to the thread that joins it, which frees them after \
              all workers have ended. Between requests nothing is alive. Read from it whether resident memory grows from \
              request to request, as reports say of servers whose own accounting came back to zero each time. A plateau is \
              what a bounded number of arenas makes; flat is what is meant to be.",
    parameters: &[
        Parameter::number("workers", 4, 1, 64, "threads of one request"),
        Parameter::number("request_kib", 4096, 1, 1 << 30, "KiB of the requests that all threads work on at once"),
        Parameter::number("passed", 50, 0, 100, "per cent of the blocks that outlive the thread that made them"),
        sizes(SizesKind::LogUniform),
        min_size(64),
        max_size(256 << 10),
        touch(Touch::All),
        Parameter::threads(),
    ],
};

impl Workload for PoolPerRequest {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn settle_ms(&self) -> &'static [u64] {
        SETTLE_MS
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, workers) = (setup.size("threads"), setup.size("workers"));
        let script = Script::of(ABOUT.name, setup)?;
        let blocks = script.blocks_in((setup.size("request_kib") << 10) / lanes / workers);
        within_memory(ABOUT.name, lanes, script.bytes_of(blocks * workers * lanes))?;
        Ok(Box::new(Requests { lanes, workers, blocks, passed: setup.size("passed"), script }))
    }
}

struct Requests {
    lanes: usize,
    workers: usize,
    /// Blocks of each worker.
    blocks: usize,
    /// Per cent of them that outlive it.
    passed: usize,
    script: Script,
}

impl Job for Requests {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        Box::new(Server { requests: self, workers_started: (index as u64) << 48 })
    }
}

/// What a worker leaves: blocks, and the sum of those it has freed itself.
type Left = (Vec<Block>, u64);

impl Requests {
    fn work(&self, mut maker: Maker) -> Left {
        let mut own: Vec<Block> = (0..self.blocks).map(|_| maker.block()).collect();
        // Taken from the end, so that what is freed lies between what stays.
        let mut passed = Vec::with_capacity(self.blocks * self.passed / 100 + 1);
        let (mut due, mut sum) = (0, 0_u64);
        while let Some(block) = own.pop() {
            due += self.passed;
            if due >= 100 {
                due -= 100;
                passed.push(block);
            } else {
                sum = sum.wrapping_add(block.free());
            }
        }
        (passed, sum)
    }
}

struct Server<'a> {
    requests: &'a Requests,
    /// Counts all workers of the sample; each has numbers of its own.
    workers_started: u64,
}

impl Server<'_> {
    fn request(&mut self) -> u64 {
        let requests = self.requests;
        let mut sum = 0_u64;
        let left: Vec<Left> = thread::scope(|scope| {
            let start = |worker: usize| {
                let maker = requests.script.maker(self.workers_started + worker as u64);
                scope.spawn(move || requests.work(maker))
            };
            let workers: Vec<_> = (0..requests.workers).map(start).collect();
            let join = |worker: thread::ScopedJoinHandle<'_, Left>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().map(join).collect()
        });
        self.workers_started += requests.workers as u64;
        for (blocks, freed) in left {
            sum = blocks.into_iter().map(Block::free).fold(sum.wrapping_add(freed), u64::wrapping_add);
        }
        sum
    }
}

impl Lane for Server<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            tally.add(self.request());
        }
        tally
    }
}

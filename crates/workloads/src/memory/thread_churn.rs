//! Threads that come and go, each with buffers that grow.
//!
//! Models servers with a thread for each task: a generation of threads is started, each grows some buffers by reallocating
//! them to four times the size, again and again, and ends; then comes the next generation. Nothing outlives its thread.

use std::thread;

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::SETTLE_MS;
use crate::blocks::Buffer;
use crate::checksum::mix;
use crate::memory_limit::within_memory;
use crate::models::Touch;
use crate::random::scatter;

/// Generations of threads.
#[derive(Debug)]
pub(crate) struct ThreadChurn;

/// The size with which a buffer begins, and its alignment.
const FIRST: usize = 4096;
const ALIGNMENT: usize = 8;

/// How many times as large each reallocation makes it.
const FACTOR: usize = 4;

static ABOUT: About = About {
    name: "memory/thread-churn",
    summary: "starts generation after generation of threads that grow buffers and end",
    unit: "generation",
    details: "A generation of fresh threads is started; each grows buffers from 4 KiB by reallocation to four times the \
              size, writes all of them, frees them and ends. Read from it whether resident memory grows with the number of \
              threads there have ever been, and system time and faults: what ended threads leave behind has to be found \
              again, or the kernel is asked anew each time. The shape is that of a report on how many mappings two \
              revisions of an allocator made for the same work.",
    parameters: &[
        Parameter::number("workers", 4, 1, 64, "threads of a generation, of each of the threads that start them"),
        Parameter::number("buffers", 4, 1, 1000, "buffers that each of them grows, one after the other"),
        Parameter::number("largest_kib", 1024, 4, 1 << 20, "KiB to which a buffer grows at most"),
        Parameter::threads(),
    ],
};

impl Workload for ThreadChurn {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn settle_ms(&self) -> &'static [u64] {
        SETTLE_MS
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, workers) = (setup.size("threads"), setup.size("workers"));
        let largest = setup.size("largest_kib") << 10;
        // Old and new are alive while one becomes the other.
        within_memory(ABOUT.name, lanes, (largest + largest / FACTOR) as u64 * (workers * lanes) as u64)?;
        let buffers = setup.size("buffers");
        Ok(Box::new(Generations { seed: setup.seed, lanes, workers, buffers, largest }))
    }
}

struct Generations {
    seed: u64,
    lanes: usize,
    workers: usize,
    buffers: usize,
    largest: usize,
}

impl Job for Generations {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        Box::new(Parent { generations: self, key: scatter(scatter(self.seed) ^ index as u64) })
    }
}

impl Generations {
    /// What one thread does in its life.
    fn live(&self, key: u64) -> u64 {
        let grow = |sum, buffer: u64| {
            let key = mix(key, buffer);
            let mut buffer = Buffer::new(FIRST, ALIGNMENT, Touch::All, key);
            while buffer.size() * FACTOR <= self.largest {
                buffer.resize(buffer.size() * FACTOR);
            }
            mix(sum, mix(key, buffer.size() as u64).wrapping_add(buffer.damage_at_a_glance()))
        };
        (0..self.buffers as u64).fold(0, grow)
    }
}

struct Parent<'a> {
    generations: &'a Generations,
    key: u64,
}

impl Lane for Parent<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let generations = self.generations;
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            let sum = thread::scope(|scope| {
                let start = |worker: usize| {
                    let key = mix(self.key, worker as u64);
                    scope.spawn(move || generations.live(key))
                };
                let workers: Vec<_> = (0..generations.workers).map(start).collect();
                let join = |worker: thread::ScopedJoinHandle<'_, u64>| {
                    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                };
                workers.into_iter().map(join).fold(0, u64::wrapping_add)
            });
            self.key = self.key.wrapping_add(1);
            tally.add(sum);
        }
        tally
    }
}

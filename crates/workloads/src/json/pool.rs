//! Documents built in parallel by a thread pool and dropped by threads that did not build them.
//!
//! Models a parallel pipeline: work stealing decides which thread builds a document, and a later stage on another thread
//! uses it up. Stresses the path that most allocators are slowest on, blocks freed by a thread that did not allocate them,
//! with whole trees of them at a time. Read from it what handing over costs: compare with `json/build`, which makes the
//! same trees and drops them where they were built.
//!
//! A turn is a sequence of rounds, each of which renews up to half of the documents alive. First the oldest are dropped:
//! each thread of the pool takes those that the thread before it has built. Then as many new ones are built, spread by work
//! stealing. All threads finish the one before they begin the other, so that who drops what never depends on who is fast.
//! With one thread there is nobody to hand over to.

use std::sync::Mutex;

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};
use rayon::prelude::*;
use serde_json::Value;

use super::generator::{CHOICES, Generator, Profile};
use super::sample::sample;
use crate::checksum::mix;
use crate::joined_pool::JoinedPool;
use crate::lock::locked;
use crate::memory_limit::within_memory;
use crate::random::stream;

/// See the [module](self).
pub(crate) struct Pool;

static ABOUT: About = About {
    name: "json/pool",
    summary: "value trees built on a thread pool, dropped by threads that did not build them",
    unit: "document",
    details: "A rayon pool of `threads` threads keeps `live` value trees like those of json/build for each thread. In rounds it \
              drops the oldest half, each by the thread next to the one that built it, and builds as many new ones in \
              parallel. So with two threads or more every document is freed by a thread that did not allocate it, whoever \
              was fast, save those alive at the end. Allocators that queue such frees, hand them back, or lock for them \
              differ most here; compare throughput, CPU time and peak memory, and the same contenders in json/build, where \
              each thread drops its own. Threads wait for each other twice a round, so wall time contains some waiting.",
    parameters: &[
        Parameter::threads(),
        Parameter::choice("profile", CHOICES, "what the documents consist of"),
        Parameter::number("size", 32, 1, 16_384, "KiB of text that a document would have, about"),
        Parameter::number("live", 32, 1, 1024, "documents alive for each thread of the pool"),
    ],
};

impl Workload for Pool {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (threads, live, size) = (setup.size("threads"), setup.size("live"), setup.size("size") << 10);
        let profile = Profile::chosen(setup.choice("profile"));
        within_memory(ABOUT.name, threads, (threads * live * size * profile.memory_factor()) as u64)?;
        let generator = Generator::new(profile, size, setup.seed);
        let pool = JoinedPool::start(ABOUT.name, threads)?;
        Ok(Box::new(Pipeline { pool, live: live * threads, seed: setup.seed, generator }))
    }
}

struct Pipeline {
    pool: JoinedPool,
    live: usize,
    seed: u64,
    generator: Generator,
}

impl Job for Pipeline {
    fn lanes(&self) -> usize {
        1
    }

    fn lane(&self, _: usize) -> Box<dyn Lane + '_> {
        let slots = (0..self.live).map(|_| Mutex::new(None)).collect();
        Box::new(Rounds { pipeline: self, slots, built: 0 })
    }
}

/// A document and the thread of the pool that built it.
struct Built {
    document: Value,
    by: usize,
    /// Its checksum, which also says where it is sampled before it goes.
    sum: u64,
}

/// Where a document lives until it has to go. Never touched by two threads at once.
type Slot = Mutex<Option<Built>>;

struct Rounds<'a> {
    pipeline: &'a Pipeline,
    /// Filled in a circle, so that the next one holds the oldest document.
    slots: Box<[Slot]>,
    /// Documents built so far: the number of the next one.
    built: u64,
}

impl Lane for Rounds<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally { count: turn.share(), checksum: 0 };
        let longest = (self.slots.len() / 2).max(1);
        let mut left = turn.share();
        while left > 0 {
            let first = position(self.built, self.slots.len());
            let length = longest.min(self.slots.len() - first).min(usize::try_from(left).unwrap_or(usize::MAX));
            let slots = &self.slots[first..first + length];
            let sums = [self.pipeline.drop_elsewhere(slots), self.pipeline.build(slots, self.built)];
            tally.checksum = sums.into_iter().fold(tally.checksum, u64::wrapping_add);
            self.built += length as u64;
            left -= length as u64;
        }
        tally
    }
}

/// Which of `slots` slots in a circle the document number `built` goes to.
fn position(built: u64, slots: usize) -> usize {
    usize::try_from(built % slots as u64).expect("less than the number of slots")
}

impl Pipeline {
    /// Samples and drops the documents in `slots`, each on the thread next to the one that built it.
    fn drop_elsewhere(&self, slots: &[Slot]) -> u64 {
        let sums = self.pool.broadcast(|thread| {
            let from = (thread.index() + thread.num_threads() - 1) % thread.num_threads();
            let old = slots.iter().filter_map(|slot| locked(slot).take_if(|built| built.by == from));
            old.map(|built| sample(&built.document, built.sum)).fold(0, u64::wrapping_add)
        });
        sums.into_iter().fold(0, u64::wrapping_add)
    }

    /// Fills `slots` with the documents from number `first`, each on the thread that gets hold of it.
    fn build(&self, slots: &[Slot], first: u64) -> u64 {
        let build = |(index, slot): (usize, &Slot)| {
            let number = first + index as u64;
            let document = self.generator.document(&mut stream(self.seed, number));
            let sum = mix(number, sample(&document, number));
            let by = rayon::current_thread_index().expect("only threads of the pool build");
            *locked(slot) = Some(Built { document, by, sum });
            sum
        };
        let all = slots.par_iter().enumerate().with_max_len(1).map(build);
        self.pool.install(|| all.reduce(|| 0, u64::wrapping_add))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipeline(threads: usize) -> Pipeline {
        let generator = Generator::new(Profile::ManySmallStrings, 2048, 1);
        Pipeline { pool: JoinedPool::start(ABOUT.name, threads).unwrap(), live: 32, seed: 1, generator }
    }

    /// Every document must be gone after a round, although each thread takes only what another one has built.
    #[test]
    fn whoever_built_a_document_another_thread_drops_it() {
        for threads in [1, 2, 3, 8] {
            let pipeline = pipeline(threads);
            let slots: Box<[Slot]> = (0..32).map(|_| Mutex::new(None)).collect();
            pipeline.build(&slots, 0);
            assert!(slots.iter().all(|slot| locked(slot).as_ref().is_some_and(|built| built.by < threads)));
            pipeline.drop_elsewhere(&slots);
            assert!(slots.iter().all(|slot| locked(slot).is_none()));
        }
    }
}

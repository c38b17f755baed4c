//! Tiny objects that came from one thread: do their places stay with those who freed them?

use std::sync::Mutex;

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::scribbler::{Object, SIZE, Scribbler, WRITES, object};
use crate::lock::locked;
use crate::memory_limit::within_memory;
use crate::random::scatter;

/// False sharing that a program brings about, and an allocator carries on or ends.
#[derive(Debug)]
pub(crate) struct CacheScratch;

static ABOUT: About = About {
    name: "classic/cache-scratch",
    summary: "like cache-thrash, after each thread has freed an object that came from one and the same",
    unit: "object",
    details: "One thread allocates a tiny object for each of the others, side by side in a cache line or two. Each \
              frees the one it was given, then allocates, writes to and frees its own as in cache-thrash. An allocator \
              that gives a thread the freed place back has the threads write to one cache line ever after (passive \
              false sharing). Read it beside classic/cache-thrash: only the handed-over objects make the difference. \
              From the Hoard allocator's benchmarks (Berger, McKinley, Blumofe and Wilson, ASPLOS 2000). The original \
              divides a fixed number of writes by the number of threads, so that its time vanishes on many cores; here \
              the work is calibrated.",
    parameters: &[SIZE, WRITES, Parameter::threads()],
};

impl Workload for CacheScratch {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, size) = (setup.size("threads"), setup.size("size"));
        within_memory(ABOUT.name, lanes, (2 * size * lanes) as u64)?;
        // The list first, so that nothing comes to lie between the objects.
        let mut given = Vec::with_capacity(lanes);
        given.extend((0..lanes).map(|_| Mutex::new(Some(object(size, 0)))));
        Ok(Box::new(Plan { seed: setup.seed, size, writes: setup.size("writes"), given }))
    }
}

struct Plan {
    seed: u64,
    size: usize,
    writes: usize,
    /// What the preparing thread has allocated for each lane.
    given: Vec<Mutex<Option<Object>>>,
}

impl Job for Plan {
    fn lanes(&self) -> usize {
        self.given.len()
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let key = scatter(scatter(self.seed) ^ index as u64);
        let scribbler = Scribbler { size: self.size, writes: self.writes, key };
        Box::new(Scratcher { scribbler, given: locked(&self.given[index]).take() })
    }
}

struct Scratcher {
    scribbler: Scribbler,
    /// Freed when the first unit begins.
    given: Option<Object>,
}

impl Lane for Scratcher {
    fn turn(&mut self, turn: &Turn) -> Tally {
        if turn.share() > 0 {
            self.given = None;
        }
        Tally { count: turn.share(), checksum: self.scribbler.scribble(turn.share()) }
    }
}

//! Tiny objects of different threads: do they share a cache line?

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::scribbler::{SIZE, Scribbler, WRITES};
use crate::memory_limit::within_memory;
use crate::random::scatter;

/// False sharing that an allocator brings about by itself.
#[derive(Debug)]
pub(crate) struct CacheThrash;

static ABOUT: About = About {
    name: "classic/cache-thrash",
    summary: "allocates tiny objects on all threads and writes to them again and again",
    unit: "object",
    details: "Each thread allocates an object of a byte, writes to it a hundred times and frees it. An allocator that \
              takes the objects of different threads from one cache line makes every write wait for the other cores \
              (active false sharing), which costs many times what the rest costs; with one thread nothing can be \
              shared, so the difference between threads=1 and more, per thread, is the price. Most of the time is the \
              program's own writes, so allocators that keep threads apart come out the same. From the Hoard \
              allocator's benchmarks (Berger, McKinley, Blumofe and Wilson, ASPLOS 2000). The original divides a fixed \
              number of writes by the number of threads, so that its time vanishes on many cores; here the work is \
              calibrated.",
    parameters: &[SIZE, WRITES, Parameter::threads()],
};

impl Workload for CacheThrash {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, size) = (setup.size("threads"), setup.size("size"));
        within_memory(ABOUT.name, lanes, (size * lanes) as u64)?;
        Ok(Box::new(Plan { seed: setup.seed, lanes, size, writes: setup.size("writes") }))
    }
}

struct Plan {
    seed: u64,
    lanes: usize,
    size: usize,
    writes: usize,
}

impl Job for Plan {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let key = scatter(scatter(self.seed) ^ index as u64);
        Box::new(Thrasher(Scribbler { size: self.size, writes: self.writes, key }))
    }
}

struct Thrasher(Scribbler);

impl Lane for Thrasher {
    fn turn(&mut self, turn: &Turn) -> Tally {
        Tally { count: turn.share(), checksum: self.0.scribble(turn.share()) }
    }
}

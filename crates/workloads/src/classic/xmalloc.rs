//! Batches of blocks from threads that only allocate to threads that only free.

use std::sync::{Condvar, Mutex, PoisonError};

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use crate::blocks::Block;
use crate::lock::locked;
use crate::memory_limit::within_memory;
use crate::models::{Cycle, Sizes, SizesKind, Touch, max_size, min_size, sizes, touch};
use crate::random::{scatter, stream};

/// Batches from producers to consumers.
#[derive(Debug)]
pub(crate) struct Xmalloc;

static ABOUT: About = About {
    name: "classic/xmalloc",
    summary: "allocates batches of blocks on half of the threads and frees them on the other half",
    unit: "batch",
    details: "Producers allocate batches, a list of 4,096 blocks of 64 bytes and the list itself; consumers take the \
              batch that was put last and free it block by block. At most 100 batches wait; then producers do. Nobody \
              frees what he allocated, and the consumers allocate nothing at all, so everything must find its way back \
              from threads that have no use for it. Stresses remote frees in large lots. Read throughput and CPU time; \
              with one thread it does both, without anything remote. After xmalloc-test by Lever and Boreham (malloc() \
              Performance in a Multithreaded Linux Environment, USENIX 2000) as in the SuperMalloc suite (2015). The \
              original runs for some seconds: the faster an allocator, the more it allocates, and its memory is not to \
              be read; here the work is fixed, so peak memory means something. The original starts as many producers \
              as consumers for each thread asked for; here they share the threads.",
    parameters: &[
        Parameter::number("batch", 4096, 1, 1_000_000, "blocks in a batch"),
        Parameter::number("waiting", 100, 1, 10_000, "batches that wait at most"),
        sizes(SizesKind::Fixed),
        min_size(64),
        max_size(64),
        touch(Touch::First),
        Parameter::threads(),
    ],
};

impl Workload for Xmalloc {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, batch, waiting) = (setup.size("threads"), setup.size("batch"), setup.size("waiting"));
        let sizes = Sizes::of(ABOUT.name, setup)?;
        within_memory(ABOUT.name, lanes, ((sizes.mean() + 24) * batch) as u64 * (waiting + lanes) as u64)?;
        Ok(Box::new(Depot {
            seed: setup.seed,
            lanes,
            batch,
            waiting,
            touch: Touch::of(setup),
            sizes: sizes.cycle(&mut stream(setup.seed, lanes as u64)),
            stack: Mutex::new(Vec::with_capacity(waiting)),
            filled: Condvar::new(),
            emptied: Condvar::new(),
        }))
    }
}

type Batch = Vec<Block>;

struct Depot {
    seed: u64,
    lanes: usize,
    /// Blocks in a batch.
    batch: usize,
    /// Batches that wait at most.
    waiting: usize,
    touch: Touch,
    sizes: Cycle,
    stack: Mutex<Vec<Batch>>,
    filled: Condvar,
    emptied: Condvar,
}

impl Depot {
    /// How many lanes produce; the others consume.
    fn producers(&self) -> usize {
        self.lanes.div_ceil(2)
    }

    fn put(&self, batch: Batch) {
        let mut stack = locked(&self.stack);
        while stack.len() == self.waiting {
            stack = self.emptied.wait(stack).unwrap_or_else(PoisonError::into_inner);
        }
        stack.push(batch);
        drop(stack);
        self.filled.notify_one();
    }

    fn take(&self) -> Batch {
        let mut stack = locked(&self.stack);
        loop {
            if let Some(batch) = stack.pop() {
                drop(stack);
                self.emptied.notify_one();
                return batch;
            }
            stack = self.filled.wait(stack).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Job for Depot {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let producers = self.producers();
        if index >= producers {
            return Box::new(Consumer { depot: self, index: index - producers });
        }
        let random = scatter(scatter(self.seed) ^ index as u64);
        Box::new(Producer { depot: self, index, sizes: self.sizes.from(random), key: random })
    }
}

struct Producer<'a> {
    depot: &'a Depot,
    /// Which of the producers this is.
    index: usize,
    sizes: Cycle,
    key: u64,
}

impl Producer<'_> {
    fn batch(&mut self) -> Batch {
        let mut batch = Vec::with_capacity(self.depot.batch);
        for _ in 0..self.depot.batch {
            self.key = self.key.wrapping_add(1);
            batch.push(Block::new(self.sizes.next(), self.key, self.depot.touch));
        }
        batch
    }
}

impl Lane for Producer<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        // The producers do all units among them.
        let count = Turn { lanes: self.depot.producers(), lane: self.index, ..*turn }.share();
        let mut checksum = 0_u64;
        for _ in 0..count {
            let batch = self.batch();
            self.depot.put(batch);
            if self.depot.lanes == 1 {
                checksum = checksum.wrapping_add(free(self.depot.take()));
            }
        }
        Tally { count, checksum }
    }
}

struct Consumer<'a> {
    depot: &'a Depot,
    /// Which of the consumers this is.
    index: usize,
}

impl Lane for Consumer<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        // The consumers take all units among them: as many batches as are put in this turn.
        let consumers = self.depot.lanes - self.depot.producers();
        let mut checksum = 0_u64;
        for _ in 0..(Turn { lanes: consumers, lane: self.index, ..*turn }.share()) {
            checksum = checksum.wrapping_add(free(self.depot.take()));
        }
        // Counted where they were made.
        Tally { count: 0, checksum }
    }
}

fn free(batch: Batch) -> u64 {
    batch.into_iter().fold(0, |sum, block| sum.wrapping_add(block.free()))
}

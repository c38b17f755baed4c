//! A batch made on one thread and freed on another.
//!
//! Models a producer and a consumer in the plainest way: the producer allocates a whole batch, the consumer frees it. Both
//! live on, and neither does anything else. What the consumer frees belongs to the producer's part of the heap, and comes to
//! light there when it allocates again, or when it ends.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::SETTLE_MS;
use super::script::Script;
use crate::blocks::Block;
use crate::helper::Helper;
use crate::memory_limit::within_memory;
use crate::models::{SizesKind, Touch, max_size, min_size, sizes, touch};

/// Batches from thread to thread.
#[derive(Debug)]
pub(crate) struct HandOff;

static ABOUT: About = About {
    name: "memory/hand-off",
    summary: "allocates a batch on one thread and frees it on another",
    unit: "batch",
    details: "Each thread has a producer. For each batch the producer allocates blocks, 1 KiB each unless set otherwise, and \
              hands over all of them; the thread reads and frees them. The list in which they are handed over is made \
              beforehand. Between batches nothing is alive. Read from it whether memory freed elsewhere is used for the \
              next batch (growth), whether it goes back to the kernel when the producer ends, which is part of the drop, and after \
              how much quiet. The shape is that of a report in which one allocator gave all back at the join and another nothing.",
    parameters: &[
        Parameter::number("blocks", 16_384, 1, 10_000_000, "blocks of a batch, over all threads"),
        sizes(SizesKind::Fixed),
        min_size(1024),
        max_size(1024),
        touch(Touch::All),
        Parameter::threads(),
    ],
};

impl Workload for HandOff {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn settle_ms(&self) -> &'static [u64] {
        SETTLE_MS
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let blocks = setup.size("blocks").div_ceil(lanes);
        let script = Script::of(ABOUT.name, setup)?;
        within_memory(ABOUT.name, lanes, script.bytes_of(blocks * lanes) + 8 * (blocks * lanes) as u64)?;
        Ok(Box::new(Pairs { lanes, blocks, script }))
    }
}

struct Pairs {
    lanes: usize,
    /// Blocks of a lane's batch.
    blocks: usize,
    script: Script,
}

impl Job for Pairs {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let mut maker = self.script.maker(index as u64);
        let producer = Helper::start(move |mut batch: Vec<Block>| {
            let room = batch.capacity();
            batch.extend((0..room).map(|_| maker.block()));
            batch
        });
        // Exactly as many fit as a batch has, so that it never grows.
        Box::new(Consumer { producer, batch: Vec::with_capacity(self.blocks) })
    }
}

struct Consumer {
    producer: Helper<Vec<Block>>,
    /// The list that goes to and fro.
    batch: Vec<Block>,
}

impl Lane for Consumer {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            self.batch = self.producer.have(std::mem::take(&mut self.batch));
            tally.add(self.batch.drain(..).map(Block::free).fold(0, u64::wrapping_add));
        }
        tally
    }
}

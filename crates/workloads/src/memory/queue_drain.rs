//! A queue that fills and runs empty, again and again.
//!
//! Models a consumer that cannot keep up for a while: messages pile up, then they are worked off from the oldest on. The queue
//! itself grows with them, by one ever larger block, and goes with them.

use std::collections::VecDeque;

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::SETTLE_MS;
use super::script::{Maker, Script};
use crate::memory_limit::within_memory;
use crate::models::{SizesKind, Touch, max_size, min_size, sizes, touch};

/// A queue's rise and fall.
#[derive(Debug)]
pub(crate) struct QueueDrain;

static ABOUT: About = About {
    name: "memory/queue-drain",
    summary: "fills a queue of messages, then drains it to the last one",
    unit: "cycle",
    details: "In each cycle messages are put into a queue that grows as it must, then taken out from the oldest on and \
              freed, and the queue goes too. Between cycles nothing is alive. Read from it whether memory after a cycle is \
              that of the cycle before (growth), how much of the peak stays when all is free, and for how long. The oldest \
              first is the friendliest order there is: what is left here is what an allocator chooses to keep.",
    parameters: &[
        Parameter::number("messages", 16_384, 1, 10_000_000, "messages that pile up, over all threads"),
        sizes(SizesKind::LogUniform),
        min_size(100),
        max_size(4000),
        touch(Touch::All),
        Parameter::threads(),
    ],
};

impl Workload for QueueDrain {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn settle_ms(&self) -> &'static [u64] {
        SETTLE_MS
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let messages = setup.size("messages").div_ceil(lanes);
        let script = Script::of(ABOUT.name, setup)?;
        within_memory(ABOUT.name, lanes, script.bytes_of(messages * lanes) + 24 * (messages * lanes) as u64)?;
        Ok(Box::new(Queues { lanes, messages, script }))
    }
}

struct Queues {
    lanes: usize,
    /// Messages of a lane.
    messages: usize,
    script: Script,
}

impl Job for Queues {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        Box::new(Consumer { messages: self.messages, maker: self.script.maker(index as u64) })
    }
}

struct Consumer {
    messages: usize,
    maker: Maker,
}

impl Lane for Consumer {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            let mut queue = VecDeque::new();
            for _ in 0..self.messages {
                queue.push_back(self.maker.block());
            }
            let mut sum = 0_u64;
            while let Some(message) = queue.pop_front() {
                sum = sum.wrapping_add(message.free());
            }
            tally.add(sum);
        }
        tally
    }
}

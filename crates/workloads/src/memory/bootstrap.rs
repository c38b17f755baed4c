//! A spike at the start, then a small steady service.
//!
//! Models a server that imports its data at start-up: nested maps are built, written into one compact buffer and dropped;
//! from then on there is the buffer, and light requests that read from it. The spike is many times what is needed afterwards, and
//! happens once.

use std::collections::BTreeMap;

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::SETTLE_MS;
use super::script::{Maker, Script};
use crate::blocks::Block;
use crate::checksum::mix;
use crate::memory_limit::within_memory;
use crate::models::Touch;
use crate::random::stream;

/// A spike, then a service.
#[derive(Debug)]
pub(crate) struct Bootstrap;

/// The sizes of what is imported.
const VALUE: (usize, usize) = (16, 512);

/// The sizes of what a request makes.
const REPLY: (usize, usize) = (1024, 8192);

/// Values in one of the inner maps.
const GROUP: usize = 64;

/// What an entry of the maps needs beside its value, roughly.
const ENTRY: usize = 40;

/// Words that each value becomes in the buffer: about a quarter of what it was.
const WORDS: usize = 5;

/// Replies of one request.
const REPLIES: usize = 4;

static ABOUT: About = About {
    name: "memory/bootstrap",
    summary: "imports nested maps once, drops them, then serves light requests",
    unit: "request",
    details: "Before its first request each thread builds nested maps of values of 16 to 512 bytes, writes them into one \
              buffer of about a quarter of the size, and drops the maps. A request then reads from the buffer and makes and \
              frees four replies of 1 to 8 KiB. The peak is that of the spike and about the same everywhere; read from it what \
              is resident at the end of the work, while the service runs: the difference is what an allocator keeps of \
              a heap that nobody needs any more. The spike falls into the first turn, which is not timed.",
    parameters: &[
        Parameter::number("import_kib", 49_152, 1, 1 << 30, "KiB of the maps, over all threads"),
        Parameter::threads(),
    ],
};

impl Workload for Bootstrap {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn settle_ms(&self) -> &'static [u64] {
        SETTLE_MS
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let bytes = setup.size("import_kib") << 10;
        let import = Script::log_uniform(VALUE.0, VALUE.1, Touch::All, setup.seed)?;
        let replies = Script::log_uniform(REPLY.0, REPLY.1, Touch::All, setup.seed)?;
        within_memory(ABOUT.name, lanes, bytes as u64 / 2 * 3)?;
        let value = import.bytes_of(1) + ENTRY as u64;
        let values = usize::try_from((bytes / lanes) as u64 / value).unwrap_or(1).max(1);
        Ok(Box::new(Server { lanes, seed: setup.seed, values, import, replies }))
    }
}

struct Server {
    lanes: usize,
    seed: u64,
    /// Values that a lane imports.
    values: usize,
    import: Script,
    replies: Script,
}

impl Job for Server {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let part = 2 * index as u64;
        Box::new(Service {
            values: self.values,
            import: self.import.maker(part),
            replies: self.replies.maker(part + 1),
            rng: stream(self.seed, part),
            buffer: Vec::new(),
        })
    }
}

struct Service {
    values: usize,
    import: Maker,
    replies: Maker,
    rng: Rng,
    /// What is left of the import; empty before it.
    buffer: Vec<u64>,
}

impl Service {
    fn bootstrap(&mut self) {
        let mut maps: BTreeMap<u64, BTreeMap<u64, Block>> = BTreeMap::new();
        for first in (0..self.values).step_by(GROUP) {
            let group = maps.entry(self.rng.u64(..)).or_default();
            for _ in first..self.values.min(first + GROUP) {
                group.insert(self.rng.u64(..), self.import.block());
            }
        }
        let mut buffer = Vec::with_capacity(self.values * WORDS);
        for (name, group) in &maps {
            for (key, value) in group {
                let sum = mix(mix(*name, *key), value.stamp().wrapping_add(value.damage()));
                buffer.extend((0..WORDS as u64).map(|word| mix(sum, word)));
            }
        }
        self.buffer = buffer;
    }

    fn request(&mut self) -> u64 {
        let place = self.rng.usize(..self.buffer.len());
        let mut sum = self.buffer[place];
        let replies: [Block; REPLIES] = std::array::from_fn(|_| self.replies.block());
        for reply in replies {
            sum = mix(sum, reply.free());
        }
        sum
    }
}

impl Lane for Service {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            if self.buffer.is_empty() {
                self.bootstrap();
            }
            tally.add(self.request());
        }
        tally
    }
}

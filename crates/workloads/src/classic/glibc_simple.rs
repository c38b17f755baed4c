//! Blocks of one size, allocated by the hundred and freed at once: the shortest paths there are.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use crate::blocks::Block;
use crate::memory_limit::within_memory;
use crate::models::{Touch, touch};
use crate::random::scatter;
use crate::relay::{Relay, Shift};

/// Allocate and free, and little else.
#[derive(Debug)]
pub(crate) struct GlibcSimple;

static ABOUT: About = About {
    name: "classic/glibc-simple",
    summary: "allocates blocks of one size by the hundred, then frees them",
    unit: "block",
    details: "Allocates a round of blocks of one size, then frees the first half of them in the order in which they \
              came and the other half in the opposite one. With the default of 400 blocks all is in the cache, so this \
              is the price of the shortest paths: throughput is one over the time of an allocation and its free. \
              Compare live=25, which many per-thread caches hold, with live=1600, which they do not; and where=second: \
              a thread that is not the first one has another heap in the GNU C library, and a program with one thread \
              skips its locks. From that library's bench-malloc-simple (2019), which writes every byte (touch=all) and \
              never reads back; here the first word is written and read, which keeps the loop itself short.",
    parameters: &[
        Parameter::number("size", 16, 8, 1 << 20, "bytes of each block"),
        Parameter::number("live", 400, 1, 1_000_000, "blocks in a round, on each thread"),
        Parameter::choice(
            "where",
            &["first", "accompanied", "second"],
            "on the first thread of a program with one thread, on the first of two, or on the second",
        ),
        touch(Touch::First),
        Parameter::number("threads", 1, 1, 1024, "threads that do this at the same time"),
    ],
};

impl Workload for GlibcSimple {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, size, live) = (setup.size("threads"), setup.size("size"), setup.size("live"));
        within_memory(ABOUT.name, lanes, ((size + 24) * live * lanes) as u64)?;
        Ok(Box::new(Plan {
            seed: setup.seed,
            lanes,
            size,
            live,
            place: setup.choice("where"),
            touch: Touch::of(setup),
        }))
    }
}

struct Plan {
    seed: u64,
    lanes: usize,
    size: usize,
    live: usize,
    place: &'static str,
    touch: Touch,
}

impl Job for Plan {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let key = scatter(scatter(self.seed) ^ index as u64);
        let rounds =
            Rounds { size: self.size, touch: self.touch, kept: Vec::with_capacity(self.live), live: self.live, key };
        let never = u64::MAX;
        Box::new(Solo {
            rounds: Relay::new(rounds, if self.place == "second" { never } else { 0 }),
            _companion: (self.place == "accompanied").then(|| Relay::new(Idle, never)),
        })
    }
}

struct Solo {
    rounds: Relay<Rounds>,
    /// A thread that has nothing to do: that it exists is enough for locks to be taken.
    _companion: Option<Relay<Idle>>,
}

impl Lane for Solo {
    fn turn(&mut self, turn: &Turn) -> Tally {
        self.rounds.work(turn.share())
    }
}

struct Idle;

impl Shift for Idle {
    fn work(&mut self, _: u64) -> Tally {
        Tally::default()
    }
}

struct Rounds {
    size: usize,
    touch: Touch,
    /// Empty between turns.
    kept: Vec<Block>,
    live: usize,
    key: u64,
}

impl Shift for Rounds {
    fn work(&mut self, units: u64) -> Tally {
        let mut checksum = 0_u64;
        let mut left = units;
        while left > 0 {
            // A turn may end within a round, which is then a short one.
            let round = usize::try_from(left).unwrap_or(self.live).min(self.live);
            left -= round as u64;
            let (first_key, size, touch) = (self.key, self.size, self.touch);
            self.key = self.key.wrapping_add(round as u64);
            self.kept.extend((0..round as u64).map(|place| Block::new(size, first_key.wrapping_add(place), touch)));
            for block in self.kept.drain(..round / 2) {
                checksum = checksum.wrapping_add(block.free());
            }
            while let Some(block) = self.kept.pop() {
                checksum = checksum.wrapping_add(block.free());
            }
        }
        Tally { count: units, checksum }
    }
}

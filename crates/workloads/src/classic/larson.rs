//! A server whose threads end and leave their objects to successors.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use crate::blocks::Block;
use crate::memory_limit::within_memory;
use crate::models::{
    Cycle, Sizes, SizesKind, Touch, blocks_alive, live_kib, max_size, min_size, odd_length, sizes, touch,
};
use crate::random::{scatter, stream};
use crate::relay::{Relay, Shift};

/// Random replacement, with threads that are replaced too.
#[derive(Debug)]
pub(crate) struct Larson;

static ABOUT: About = About {
    name: "classic/larson",
    summary: "replaces random blocks; threads end and leave theirs to successors",
    unit: "replacement",
    details: "Each thread holds an array of blocks; a unit frees a random one and allocates another of random size in \
              its place. After so many units a thread ends, and a new one takes over its array, so that what a \
              generation frees first was allocated by its predecessor. The array has been filled and replaced four \
              times over before the clock starts. Stresses small and medium blocks with random lifetimes, and what \
              becomes of a dead thread's heap. Read throughput, and peak memory for fragmentation. Compare \
              generation=0, where no thread ends. From Larson and Krishnan, Memory Allocation for Long-Running Server \
              Applications (ISMM 1998), with the numbers of mimalloc-bench. The original runs for some seconds, starts \
              each successor from the dying thread, and keeps threads in an array without a bound; here the work is \
              counted, and a thread is joined before the next one starts. Rust always tells the allocator the size of \
              what it frees, so this is larson-sized as well.",
    parameters: &[
        Parameter::number("slots", 5000, 1, 10_000_000, "blocks that each thread holds"),
        live_kib(),
        Parameter::number(
            "generation",
            500_000,
            0,
            1_000_000_000,
            "replacements after which a thread ends; with 0 none does, and each works on itself",
        ),
        sizes(SizesKind::Uniform),
        min_size(8),
        max_size(1000),
        touch(Touch::First),
        Parameter::threads(),
    ],
};

impl Workload for Larson {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let sizes = Sizes::of(ABOUT.name, setup)?;
        let slots = blocks_alive(setup, "slots", &sizes, lanes);
        within_memory(ABOUT.name, lanes, ((sizes.mean() + 24) * slots * lanes) as u64)?;
        let mut rng = stream(setup.seed, lanes as u64);
        Ok(Box::new(Plan {
            seed: setup.seed,
            lanes,
            slots,
            generation: setup.number("generation"),
            touch: Touch::of(setup),
            sizes: sizes.cycle(&mut rng),
            places: Cycle::draw(odd_length(slots), || rng.usize(..slots)),
        }))
    }
}

struct Plan {
    seed: u64,
    lanes: usize,
    slots: usize,
    generation: u64,
    touch: Touch,
    sizes: Cycle,
    places: Cycle,
}

impl Job for Plan {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let random = scatter(scatter(self.seed) ^ index as u64);
        let mut server = Server {
            slots: Vec::with_capacity(self.slots),
            touch: self.touch,
            sizes: self.sizes.from(random),
            places: self.places.from(random >> 32),
            key: random,
        };
        for _ in 0..self.slots {
            let block = server.block();
            server.slots.push(Some(block));
        }
        server.work(4 * self.slots as u64);
        Box::new(Desk(Relay::new(server, self.generation)))
    }
}

struct Desk(Relay<Server>);

impl Lane for Desk {
    fn turn(&mut self, turn: &Turn) -> Tally {
        self.0.work(turn.share())
    }
}

struct Server {
    slots: Vec<Option<Block>>,
    touch: Touch,
    sizes: Cycle,
    places: Cycle,
    key: u64,
}

impl Server {
    #[inline]
    fn block(&mut self) -> Block {
        self.key = self.key.wrapping_add(1);
        Block::new(self.sizes.next(), self.key, self.touch)
    }
}

impl Shift for Server {
    fn work(&mut self, units: u64) -> Tally {
        let mut checksum = 0_u64;
        for _ in 0..units {
            let place = self.places.next();
            if let Some(old) = self.slots[place].take() {
                checksum = checksum.wrapping_add(old.free());
            }
            self.slots[place] = Some(self.block());
        }
        Tally { count: units, checksum }
    }
}

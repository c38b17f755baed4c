//! Threads that each replace blocks of sizes as programs have them.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use crate::blocks::Block;
use crate::memory_limit::within_memory;
use crate::models::{
    Crossing, Cycle, Sizes, SizesKind, Touch, WAITING, blocks_alive, cross_thread, live_kib, max_size, min_size,
    odd_length, sizes, touch,
};
use crate::random::{scatter, stream};
use crate::ring::Ring;

/// Random replacement with mostly small blocks.
#[derive(Debug)]
pub(crate) struct GlibcThread;

static ABOUT: About = About {
    name: "classic/glibc-thread",
    summary: "replaces random blocks, of which twice the size is a quarter as frequent",
    unit: "replacement",
    details: "Each thread holds an array of blocks; a unit frees a random one, allocates another in its place and \
              writes all of it. Sizes follow an inverse square, so that most blocks have a few dozen bytes and one in \
              thousands has many KiB. Nothing is shared between the threads unless cross_thread says so: what does not \
              scale here is the allocator. Read throughput by number of threads. From the GNU C library's \
              bench-malloc-thread (2014). The original runs for some seconds, and all its threads share one sequence \
              of sizes and places from its beginning; here the work is counted, and each thread begins at a place of \
              its own.",
    parameters: &[
        Parameter::number("slots", 1024, 1, 10_000_000, "blocks that each thread holds"),
        live_kib(),
        sizes(SizesKind::InverseSquare),
        min_size(8),
        max_size(32_768),
        touch(Touch::All),
        cross_thread(0),
        Parameter::threads(),
    ],
};

impl Workload for GlibcThread {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let sizes = Sizes::of(ABOUT.name, setup)?;
        let slots = blocks_alive(setup, "slots", &sizes, lanes);
        within_memory(ABOUT.name, lanes, ((sizes.mean() + 24) * (slots + WAITING) * lanes) as u64)?;
        let mut rng = stream(setup.seed, lanes as u64);
        Ok(Box::new(Plan {
            seed: setup.seed,
            lanes,
            slots,
            cross_thread: setup.number("cross_thread"),
            touch: Touch::of(setup),
            sizes: sizes.cycle(&mut rng),
            places: Cycle::draw(odd_length(slots), || rng.usize(..slots)),
            ring: Crossing::ring(lanes),
        }))
    }
}

struct Plan {
    seed: u64,
    lanes: usize,
    slots: usize,
    cross_thread: u64,
    touch: Touch,
    sizes: Cycle,
    places: Cycle,
    ring: Ring<Block>,
}

impl Job for Plan {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let random = scatter(scatter(self.seed) ^ index as u64);
        let mut key = random;
        let mut sizes = self.sizes.from(random);
        let mut slots = Vec::with_capacity(self.slots);
        for _ in 0..self.slots {
            key = key.wrapping_add(1);
            slots.push(Some(Block::new(sizes.next(), key, self.touch)));
        }
        let places = self.places.from(random >> 32);
        let crossing = Crossing::new(&self.ring, index, self.cross_thread);
        Box::new(Replacer { slots, touch: self.touch, sizes, places, key, crossing })
    }
}

struct Replacer<'a> {
    slots: Vec<Option<Block>>,
    touch: Touch,
    sizes: Cycle,
    places: Cycle,
    key: u64,
    crossing: Crossing<'a>,
}

impl Lane for Replacer<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut checksum = 0;
        for _ in 0..turn.share() {
            let slot = &mut self.slots[self.places.next()];
            if let Some(old) = slot.take() {
                self.crossing.free(old, &mut checksum);
            }
            self.key = self.key.wrapping_add(1);
            *slot = Some(Block::new(self.sizes.next(), self.key, self.touch));
        }
        self.crossing.finish(&mut checksum);
        Tally { count: turn.share(), checksum }
    }
}

//! Scattered frees and allocations of mostly small blocks up to several pages, some handed to the next thread.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use crate::blocks::Block;
use crate::memory_limit::within_memory;
use crate::models::{Cycle, Sizes, SizesKind, Touch, max_size, min_size, odd_length, sizes, touch};
use crate::random::{scatter, stream};
use crate::ring::{Link, Ring};

/// Loops of scattered frees and allocations.
#[derive(Debug)]
pub(crate) struct Rptest;

static ABOUT: About = About {
    name: "classic/rptest",
    summary: "frees and allocates scattered blocks of up to 16,000 bytes, handing some to the next thread",
    unit: "loop",
    details: "Each thread holds 1,000 blocks. A loop frees a hundred at scattered places, then allocates a hundred at \
              others, in place of what is still there; sizes fall off in a straight line from 8 to 16,000 bytes, so \
              that most blocks have some KiB. Every second loop allocates a hundred more for the next thread, which \
              frees them. A byte of each page is touched. Stresses medium sizes, which many allocators treat as runs \
              of pages, and remote frees of them. Read throughput and the kernel's share of CPU time. From Jansson's \
              rpmalloc-benchmark (2017) with the settings of mimalloc-bench. The original hands over to whichever \
              thread and starts a second generation of threads; here the threads form a ring with bounded inboxes and \
              stay, so that the work is the same in every run. It counts operations per second of CPU time; here both \
              times are reported.",
    parameters: &[
        Parameter::number("live", 1000, 1, 1_000_000, "blocks that each thread holds at most"),
        Parameter::number("operations", 100, 1, 1_000_000, "blocks that a loop frees, and allocates"),
        Parameter::number(
            "handover",
            2,
            0,
            1_000_000,
            "one in so many loops hands blocks to the next thread; with 0 none does",
        ),
        sizes(SizesKind::Falling),
        min_size(8),
        max_size(16_000),
        touch(Touch::Pages),
        Parameter::threads(),
    ],
};

/// Blocks that wait between two threads at most.
const WAITING: usize = 256;

impl Workload for Rptest {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, live) = (setup.size("threads"), setup.size("live"));
        let sizes = Sizes::of(ABOUT.name, setup)?;
        within_memory(ABOUT.name, lanes, ((sizes.mean() + 24) * (live + 2 * WAITING) * lanes) as u64)?;
        let mut rng = stream(setup.seed, lanes as u64);
        Ok(Box::new(Plan {
            seed: setup.seed,
            lanes,
            live,
            operations: setup.size("operations"),
            handover: setup.number("handover"),
            touch: Touch::of(setup),
            sizes: sizes.cycle(&mut rng),
            places: Cycle::draw(odd_length(live), || rng.usize(..live)),
            ring: Ring::new(lanes, WAITING),
        }))
    }
}

struct Plan {
    seed: u64,
    lanes: usize,
    live: usize,
    operations: usize,
    handover: u64,
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
        let mut looper = Looper {
            plan: self,
            slots: Vec::with_capacity(self.live),
            sizes: self.sizes.from(random),
            places: self.places.from(random >> 32),
            key: random,
            loops: 0,
            link: self.ring.link(index),
        };
        for _ in 0..self.live {
            let block = looper.block();
            looper.slots.push(Some(block));
        }
        Box::new(looper)
    }
}

struct Looper<'a> {
    plan: &'a Plan,
    slots: Vec<Option<Block>>,
    sizes: Cycle,
    places: Cycle,
    key: u64,
    loops: u64,
    link: Link<'a, Block>,
}

impl Looper<'_> {
    #[inline]
    fn block(&mut self) -> Block {
        self.key = self.key.wrapping_add(1);
        Block::new(self.sizes.next(), self.key, self.plan.touch)
    }
}

impl Lane for Looper<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut checksum = 0_u64;
        let plan = self.plan;
        for _ in 0..turn.share() {
            for _ in 0..plan.operations {
                if let Some(block) = self.slots[self.places.next()].take() {
                    checksum = checksum.wrapping_add(block.free());
                }
            }
            for _ in 0..plan.operations {
                let block = self.block();
                if let Some(old) = self.slots[self.places.next()].replace(block) {
                    checksum = checksum.wrapping_add(old.free());
                }
            }
            self.loops += 1;
            if plan.handover > 0 && self.loops.is_multiple_of(plan.handover) {
                for _ in 0..plan.operations {
                    let block = self.block();
                    self.link.give(block, |given| checksum = checksum.wrapping_add(given.free()));
                }
            }
        }
        self.link.finish(|given| checksum = checksum.wrapping_add(given.free()));
        Tally { count: turn.share(), checksum }
    }
}

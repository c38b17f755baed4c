//! Sweeps over all small sizes, freed in order and in reverse.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::runs::{Runs, ladders};
use crate::memory_limit::within_memory;
use crate::models::{Cycle, Touch, max_size, min_size, touch};
use crate::random::scatter;

/// Sweeps over sizes on each thread.
#[derive(Debug)]
pub(crate) struct Sh6;

static ABOUT: About = About {
    name: "classic/sh6",
    summary: "sweeps over all small sizes and frees a third in order, a third in reverse",
    unit: "block",
    details: "Each thread allocates blocks in sweeps: ladders of sizes that start ever higher and go down by halves, \
              the small ones more often. When it holds as many as it may, it frees the oldest third in the order in \
              which they came, and the youngest third in the opposite one; the middle third stays for the next round. \
              Stresses many size classes at once and both orders of free, all on the thread that allocated. Read \
              throughput. In the shape of MicroQuill's sh6bench, made to show SmartHeap in the 1990s, from what is \
              said about it: its source must not be passed on and has not been used. The original divides a fixed \
              number of calls by the number of threads, so that its time vanishes on many cores; here the work is \
              calibrated.",
    parameters: &[LIVE, min_size(8), max_size(1000), touch(Touch::First), Parameter::threads()],
};

pub(super) const LIVE: Parameter =
    Parameter::number("live", 6000, 1, 10_000_000, "blocks that each thread holds at most");

/// What both variants need.
pub(super) struct Sweep {
    pub(super) seed: u64,
    pub(super) lanes: usize,
    live: usize,
    touch: Touch,
    sizes: Cycle,
}

impl Sweep {
    /// Fails in the name of `workload` if a parameter makes no sense or too much would be alive.
    pub(super) fn of(workload: &str, setup: &Setup<'_>) -> Result<Self, String> {
        let (lanes, live) = (setup.size("threads"), setup.size("live"));
        let (min, max) = (setup.size("min_size"), setup.size("max_size"));
        if min > max {
            return Err(format!("{workload}: min_size={min} is more than max_size={max}"));
        }
        let sweep = ladders(min, max);
        let mut rungs = sweep.iter();
        let sizes = Cycle::draw(sweep.len(), || *rungs.next().expect("as many as there are"));
        within_memory(workload, lanes, (sizes.mean() + 24) * (live * lanes) as u64)?;
        Ok(Self { seed: setup.seed, lanes, live, touch: Touch::of(setup), sizes })
    }

    /// The runs of a lane, which begin at a place of their own.
    pub(super) fn runs(&self, lane: usize) -> Runs {
        let random = scatter(scatter(self.seed) ^ lane as u64);
        Runs::new(self.sizes.from(random), self.touch, random, self.live)
    }
}

impl Workload for Sh6 {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        Ok(Box::new(Plan(Sweep::of(ABOUT.name, setup)?)))
    }
}

struct Plan(Sweep);

impl Job for Plan {
    fn lanes(&self) -> usize {
        self.0.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        Box::new(Sweeper(self.0.runs(index)))
    }
}

struct Sweeper(Runs);

impl Lane for Sweeper {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut checksum = 0_u64;
        self.0.allocate(turn.share(), |block| checksum = checksum.wrapping_add(block.free()));
        Tally { count: turn.share(), checksum }
    }
}

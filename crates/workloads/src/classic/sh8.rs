//! Sweeps over all small sizes, half of them freed by another thread.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::runs::Runs;
use super::sh6::{LIVE, Sweep};
use crate::blocks::Block;
use crate::models::{Crossing, Touch, cross_thread, max_size, min_size, touch};
use crate::ring::Ring;

/// Sweeps over sizes whose blocks change hands.
#[derive(Debug)]
pub(crate) struct Sh8;

static ABOUT: About = About {
    name: "classic/sh8",
    summary: "like sh6, but every second block is freed by the next thread",
    unit: "block",
    details: "Each thread allocates blocks in sweeps over all small sizes and gives them up in both orders, as \
              classic/sh6 does; but every second one of them goes to the next thread in a ring, through a bounded \
              inbox, and is freed there. With one thread nothing is remote. Stresses remote frees of all small size \
              classes. Read it beside classic/sh6: the difference is the price of them. Wall time says more than CPU \
              time where threads wait for each other. In the shape of MicroQuill's sh8bench, from what is said about \
              it: its source must not be passed on and has not been used.",
    parameters: &[LIVE, min_size(8), max_size(1000), touch(Touch::First), cross_thread(50), Parameter::threads()],
};

impl Workload for Sh8 {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let sweep = Sweep::of(ABOUT.name, setup)?;
        let ring = Crossing::ring(sweep.lanes);
        Ok(Box::new(Plan { sweep, cross_thread: setup.number("cross_thread"), ring }))
    }
}

struct Plan {
    sweep: Sweep,
    cross_thread: u64,
    ring: Ring<Block>,
}

impl Job for Plan {
    fn lanes(&self) -> usize {
        self.sweep.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let crossing = Crossing::new(&self.ring, index, self.cross_thread);
        Box::new(Sweeper { runs: self.sweep.runs(index), crossing })
    }
}

struct Sweeper<'a> {
    runs: Runs,
    crossing: Crossing<'a>,
}

impl Lane for Sweeper<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut checksum = 0;
        let Self { runs, crossing } = self;
        runs.allocate(turn.share(), |block| crossing.free(block, &mut checksum));
        crossing.finish(&mut checksum);
        Tally { count: turn.share(), checksum }
    }
}

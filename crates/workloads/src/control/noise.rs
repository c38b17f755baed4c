//! Computing beside a busy neighbour.
//!
//! The same walks as in `control/compute`, while another thread of the same process computes as well: as much as follows from
//! the seed, different in each turn. Times scatter, and the comparison must say so instead of finding a winner.

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::buffer::{BUFFER_KIB, Buffer};
use super::compute::{Walker, Walks, walk};
use crate::helper::Helper;
use crate::random::{scatter, stream};

/// Walks beside someone who walks too.
#[derive(Debug)]
pub(crate) struct NoisyNeighbour;

static ABOUT: About = About {
    name: "control/noise",
    summary: "computes beside a neighbour that is busy for a random part of each turn: no call to the allocator",
    unit: "walk",
    details: "The walks of control/compute, with one more thread in the process that walks too: in each turn by a random amount, which \
              follows from the seed and is bounded, ten per cent of the work on average unless set otherwise. With as many threads \
              as processors it takes time from them. Its CPU time counts, and is the same for every allocator. A control: \
              whoever is called different here is a false alarm, or shows that something else than allocation differs; \
              heapmark then gives no verdict on that contender and metric in the other workloads.",
    parameters: &[
        BUFFER_KIB,
        Parameter::number("steps", 4000, 1, 1_000_000, "words that a walk comes to"),
        Parameter::number("noise", 10, 0, 100, "per cent of all walks that the neighbour does on top, on average"),
        Parameter::threads(),
    ],
};

impl Workload for NoisyNeighbour {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let walks = Walks::prepare(ABOUT.name, setup)?;
        Ok(Box::new(Neighbourhood { seed: setup.seed, walks, noise: setup.number("noise") }))
    }
}

struct Neighbourhood {
    seed: u64,
    walks: Walks,
    noise: u64,
}

impl Job for Neighbourhood {
    fn lanes(&self) -> usize {
        self.walks.lanes()
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let walker = self.walks.walker(index as u64);
        if index > 0 {
            return Box::new(walker);
        }
        // Placed like the lanes' own, since where an allocator would place it is no part of a control.
        let mut buffer = Buffer::new(1, scatter(self.seed));
        let mut at = 0;
        let neighbour = Helper::start(move |steps: u64| walk(buffer.window(), &mut at, steps));
        // What the standard library frees when a thread begins is freed before the first turn.
        neighbour.have(0);
        let rng = stream(self.seed, u64::MAX);
        Box::new(Host { walker, neighbour, rng, noise: self.noise, steps: self.walks.steps() })
    }
}

/// The lane that has the neighbour disturb a turn.
struct Host {
    walker: Walker,
    neighbour: Helper<u64>,
    rng: Rng,
    noise: u64,
    steps: u64,
}

impl Lane for Host {
    fn turn(&mut self, turn: &Turn) -> Tally {
        // Up to twice the average, which it therefore is.
        let percent = self.rng.u64(0..=2 * self.noise);
        let steps = u128::from(turn.units) * u128::from(self.steps) * u128::from(percent) / 100;
        self.neighbour.ask(u64::try_from(steps).unwrap_or(u64::MAX));
        let tally = self.walker.turn(turn);
        // What the neighbour has computed is for nobody, but must not be left out.
        std::hint::black_box(self.neighbour.answer());
        tally
    }
}

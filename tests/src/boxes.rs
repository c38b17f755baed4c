//! A workload of one block per unit, with places for a fault.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

/// Size of the block that a unit takes, zeroed. Nothing else in a worker has this size, so an allocator can tell it.
pub(crate) const UNIT_BLOCK: usize = 4242;

/// Size of the block that each lane keeps until it is dropped.
pub(crate) const KEEPSAKE: usize = 7919;

/// Takes a zeroed block for each unit, and looks at it.
#[derive(Clone, Copy, Debug)]
pub struct Boxes {
    /// Done before the workload is ready.
    pub in_preparation: fn() -> Result<(), String>,
    /// Done by each lane at the start of each turn.
    pub in_turn: fn(&Turn),
    /// Units that are counted in each turn but not done.
    pub surplus: u64,
}

impl Boxes {
    /// Without a fault.
    pub const SOUND: Self = Self { in_preparation: || Ok(()), in_turn: |_| {}, surplus: 0 };
}

static ABOUT: About = About {
    name: "test/boxes",
    summary: "takes a zeroed block and looks at it",
    unit: "block",
    details: "For tests of the harness.",
    parameters: &[Parameter::number("lanes", 1, 1, 8, "threads that do units")],
};

impl Workload for Boxes {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        (self.in_preparation)()?;
        Ok(Box::new(BoxesJob { boxes: *self, lanes: setup.size("lanes"), seed: setup.seed }))
    }
}

struct BoxesJob {
    boxes: Boxes,
    lanes: usize,
    seed: u64,
}

impl Job for BoxesJob {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let random = self.seed.wrapping_add(index as u64);
        Box::new(BoxesLane { boxes: self.boxes, random, _keepsake: vec![1; KEEPSAKE] })
    }
}

struct BoxesLane {
    boxes: Boxes,
    random: u64,
    _keepsake: Vec<u8>,
}

impl Lane for BoxesLane {
    fn turn(&mut self, turn: &Turn) -> Tally {
        (self.boxes.in_turn)(turn);
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            // Marsaglia's xorshift, with the zero that it cannot leave taken out.
            self.random = self.random.max(1);
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            let block = std::hint::black_box(vec![0_u8; UNIT_BLOCK]);
            let dirt: u64 = block.iter().step_by(256).map(|&byte| u64::from(byte)).sum();
            tally.add(self.random.wrapping_add(dirt));
        }
        tally.count += self.boxes.surplus;
        tally
    }
}

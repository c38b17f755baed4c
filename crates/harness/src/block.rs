//! One block in one arrangement: a sample of everyone who takes part.

use std::time::Instant;

use fastrand::Rng;

use crate::record::Sample;
use crate::sample::{Entrant, Running, Work, compare_results};
use crate::schedule::{shuffled, turn_orders};
use crate::{Arrangement, Nanos};

/// The length of the variable that shifts the stack is below this: a page, beyond which nothing new comes.
const PADDING: usize = 4096;

/// A block that was measured in one arrangement.
pub(crate) struct Measured {
    /// In the order in which they were started.
    pub(crate) samples: Vec<Sample>,
    /// From the first start to the last exit.
    pub(crate) wall: Nanos,
}

/// What a block is made from.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    pub(crate) entrants: &'a [Entrant],
    pub(crate) work: Work<'a>,
    pub(crate) number: u32,
    pub(crate) arrangement: Arrangement,
}

impl Block<'_> {
    /// Measures everyone. Orders and stack offsets depend only on seed, case, block and arrangement, so a block that is
    /// measured again, in a resumed run, is made the same way.
    pub(crate) fn measure(&self) -> Measured {
        let begun = Instant::now();
        let name = format!("{} {} {:?}", self.work.case, self.number, self.arrangement);
        let mut rng = Rng::with_seed(seed_for(self.work.settings.seed, &name));
        let starters: Vec<(usize, usize)> =
            shuffled(self.entrants.len(), &mut rng).into_iter().map(|index| (index, rng.usize(..PADDING))).collect();
        let mut samples = match self.arrangement {
            Arrangement::Alone => starters.into_iter().map(|starter| self.alone(starter)).collect(),
            Arrangement::Turns => self.in_turns(&starters, &mut rng),
        };
        compare_results(&mut samples, self.entrants);
        Measured { samples, wall: begun.elapsed().into() }
    }

    fn start(&self, (index, padding): (usize, usize)) -> Running<'_> {
        let seed = input_seed(self.work.settings.seed, self.number);
        Running::start(&self.entrants[index], self.work, self.number, self.arrangement, seed, padding)
    }

    fn alone(&self, starter: (usize, usize)) -> Sample {
        let mut running = self.start(starter);
        run_undisturbed(&mut running, self.work);
        running.into_sample()
    }

    fn in_turns(&self, starters: &[(usize, usize)], rng: &mut Rng) -> Vec<Sample> {
        let mut running: Vec<Running<'_>> = starters.iter().map(|&starter| self.start(starter)).collect();
        for _ in 0..self.work.settings.warm_turns {
            running.iter_mut().for_each(Running::warm_turn);
        }
        for order in turn_orders(running.len(), self.work.turns as usize, self.work.settings.order, rng) {
            for (position, index) in (0..).zip(order) {
                running[index].turn(position);
            }
        }
        running.iter_mut().for_each(Running::finish);
        running.into_iter().map(Running::into_sample).collect()
    }
}

/// Warm turns, timed turns, and the end, with nobody in between.
pub(crate) fn run_undisturbed(running: &mut Running<'_>, work: Work<'_>) {
    for _ in 0..work.settings.warm_turns {
        running.warm_turn();
    }
    for _ in 0..work.turns_alone {
        running.turn(0);
    }
    running.finish();
}

/// The seed of a block's inputs: the same for everyone in it.
pub(crate) fn input_seed(seed: u64, block: u32) -> u64 {
    seed_for(seed, &format!("input {block}"))
}

/// A seed of its own for each purpose: FNV-1a over the seed and a name for the purpose.
pub(crate) fn seed_for(seed: u64, purpose: &str) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(purpose.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

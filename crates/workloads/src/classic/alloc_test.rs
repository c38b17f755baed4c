//! Slots that are filled and emptied, a few of them most of the time.

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use crate::blocks::Block;
use crate::memory_limit::within_memory;
use crate::models::{
    Crossing, Cycle, Sizes, SizesKind, Touch, WAITING, cross_thread, max_size, min_size, odd_length, sizes, touch,
};
use crate::random::{scatter, stream};
use crate::ring::Ring;

/// Old and young blocks side by side.
#[derive(Debug)]
pub(crate) struct AllocTest;

static ABOUT: About = About {
    name: "classic/alloc-test",
    summary: "fills and empties slots, four times in five one of a fifth of them",
    unit: "call",
    details: "The threads share out a large array of slots, half of them filled. A unit picks a slot and frees the \
              block in it, or allocates one if it is empty; four picks in five fall on a fifth of the slots, so that \
              blocks live for very different times side by side. All of a block is written when it is allocated and \
              read when it is freed. Stresses small blocks in a working set beyond the caches: memory order and \
              packing count as well as the allocator's paths. From ITHare's alloc-test (OLogN Technologies, 2018), \
              which simulates real loads by Pareto distributions. The original ends at 16 threads and runs a fixed \
              number of calls for each; here there may be more, and blocks cross between threads if cross_thread says \
              so.",
    parameters: &[
        Parameter::number("slots", 1 << 18, 2, 1 << 24, "slots of all threads together; at least two for each"),
        sizes(SizesKind::InverseSquare),
        min_size(8),
        max_size(1024),
        touch(Touch::All),
        cross_thread(0),
        Parameter::threads(),
    ],
};

impl Workload for AllocTest {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let sizes = Sizes::of(ABOUT.name, setup)?;
        let slots = setup.size("slots").div_ceil(lanes).max(2);
        // Half of the slots are filled, in the long run too.
        within_memory(ABOUT.name, lanes, ((sizes.mean() + 24) * (slots / 2 + WAITING) * lanes) as u64)?;
        let mut rng = stream(setup.seed, lanes as u64);
        Ok(Box::new(Plan {
            seed: setup.seed,
            lanes,
            slots,
            cross_thread: setup.number("cross_thread"),
            touch: Touch::of(setup),
            sizes: sizes.cycle(&mut rng),
            places: Cycle::draw(odd_length(slots), || popular(&mut rng, slots)),
            ring: Crossing::ring(lanes),
        }))
    }
}

/// One of the slots, four times in five one of the first fifth, and so on within: the share of picks that fall on the
/// first part x of the slots is x to the power of ln 0.8 / ln 0.2.
fn popular(rng: &mut Rng, slots: usize) -> usize {
    let exponent = 0.2_f64.ln() / 0.8_f64.ln();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a fraction of the number of slots, rounded down"
    )]
    let slot = (rng.f64().powf(exponent) * slots as f64) as usize;
    slot.min(slots - 1)
}

struct Plan {
    seed: u64,
    lanes: usize,
    /// Slots of each lane.
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
        for slot in 0..self.slots {
            key = key.wrapping_add(1);
            slots.push((slot % 2 == 0).then(|| Block::new(sizes.next(), key, self.touch)));
        }
        let places = self.places.from(random >> 32);
        let crossing = Crossing::new(&self.ring, index, self.cross_thread);
        Box::new(Toggler { slots, touch: self.touch, sizes, places, key, crossing })
    }
}

struct Toggler<'a> {
    slots: Vec<Option<Block>>,
    touch: Touch,
    sizes: Cycle,
    places: Cycle,
    key: u64,
    crossing: Crossing<'a>,
}

impl Lane for Toggler<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut checksum = 0_u64;
        for _ in 0..turn.share() {
            let slot = &mut self.slots[self.places.next()];
            if let Some(block) = slot.take() {
                self.crossing.free(block, &mut checksum);
            } else {
                self.key = self.key.wrapping_add(1);
                let block = Block::new(self.sizes.next(), self.key, self.touch);
                // Counted when it comes as well as when it goes, so that every unit counts.
                checksum = checksum.wrapping_add(block.stamp());
                *slot = Some(block);
            }
        }
        self.crossing.finish(&mut checksum);
        Tally { count: turn.share(), checksum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_picks_in_five_fall_on_a_fifth() {
        let mut rng = stream(1, 0);
        let picks: Vec<_> = (0..100_000).map(|_| popular(&mut rng, 1000)).collect();
        let share = |slots| picks.iter().filter(|pick| **pick < slots).count() as f64 / picks.len() as f64;
        assert!((share(200) - 0.8).abs() < 0.01, "{}", share(200));
        assert!((share(40) - 0.64).abs() < 0.01, "{}", share(40));
        assert!(share(1000) >= 1.0);
    }
}

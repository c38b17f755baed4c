//! Aligned buffers between small blocks that stay.
//!
//! Models image and matrix libraries: each step allocates a buffer with an alignment of its own and frees the one before,
//! while small blocks come and go more slowly. To align a buffer, an allocator cuts something larger; what is cut off must
//! serve the small blocks, or be joined again.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::script::{Maker, Script};
use super::{OVERHEAD, SETTLE_MS};
use crate::blocks::{Block, Buffer};
use crate::checksum::mix;
use crate::memory_limit::within_memory;
use crate::models::{Touch, touch};
use crate::random::scatter;

/// Buffers of many alignments.
#[derive(Debug)]
pub(crate) struct AlignmentMix;

/// The sizes of small blocks.
const SMALL: (usize, usize) = (25, 200);

/// Alignments that take turns in the mix.
const MIX: [usize; 9] = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096];

/// One in so many buffers of the mix is aligned to a huge page instead.
const RARE: u64 = 64;

const HUGE: usize = 2 << 20;

static ABOUT: About = About {
    name: "memory/alignment",
    summary: "replaces aligned buffers between small blocks",
    unit: "step",
    details: "Each step allocates a buffer with an alignment, frees the one before, and replaces the oldest of a ring of small \
              blocks of 25 to 200 bytes. In the mix the alignments from 16 bytes to 4 KiB take turns, and one in 64 is 2 MiB. \
              The alignment of every buffer is looked at. Live bytes are constant. Read from it resident memory and blow-up, \
              and the growth: what aligning cuts off and never joins again adds up. A report says so of a C library of its time, \
              with alignments of 32, 64 and 256 and not with 16 and 128. Sizes are those of each thread.",
    parameters: &[
        Parameter::choice(
            "alignment",
            &["mixed", "16", "32", "64", "128", "256", "512", "1024", "2048", "4096", "2MiB"],
            "alignment of the buffers",
        ),
        Parameter::number("buffer_kib", 256, 1, 1 << 20, "KiB of a buffer"),
        Parameter::number("small", 4096, 1, 10_000_000, "small blocks that stay"),
        touch(Touch::Pages),
        Parameter::threads(),
    ],
};

impl Workload for AlignmentMix {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn settle_ms(&self) -> &'static [u64] {
        SETTLE_MS
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let touch = Touch::of(setup);
        let alignment = match setup.choice("alignment") {
            "mixed" => None,
            "2MiB" => Some(HUGE),
            number => Some(number.parse().map_err(|_| format!("{}: no alignment is {number}", ABOUT.name))?),
        };
        let script = Script::log_uniform(SMALL.0, SMALL.1, touch, setup.seed)?;
        let (size, small) = (setup.size("buffer_kib") << 10, setup.size("small"));
        let buffers = 2 * (size + alignment.unwrap_or(HUGE) + OVERHEAD);
        within_memory(ABOUT.name, lanes, (buffers as u64 + script.bytes_of(small)) * lanes as u64)?;
        Ok(Box::new(Images { seed: setup.seed, lanes, alignment, size, small, touch, script }))
    }
}

struct Images {
    seed: u64,
    lanes: usize,
    /// The one alignment, or none for the mix.
    alignment: Option<usize>,
    size: usize,
    /// Small blocks of each lane.
    small: usize,
    touch: Touch,
    script: Script,
}

impl Images {
    fn alignment(&self, step: u64) -> usize {
        if let Some(alignment) = self.alignment {
            return alignment;
        }
        if step % RARE == RARE - 1 { HUGE } else { MIX[usize::try_from(step % MIX.len() as u64).unwrap_or_default()] }
    }
}

impl Job for Images {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let mut maker = self.script.maker(index as u64);
        let small = (0..self.small).map(|_| maker.block()).collect();
        let key = scatter(scatter(self.seed) ^ index as u64);
        Box::new(Image { images: self, maker, key, step: 0, buffer: None, small, oldest: 0 })
    }
}

struct Image<'a> {
    images: &'a Images,
    maker: Maker,
    key: u64,
    step: u64,
    buffer: Option<Buffer>,
    small: Vec<Block>,
    /// Where in the ring the oldest small block is.
    oldest: usize,
}

impl Image<'_> {
    fn step(&mut self) -> u64 {
        let images = self.images;
        let key = self.key.wrapping_add(self.step);
        let buffer = Buffer::new(images.size, images.alignment(self.step), images.touch, key);
        self.step += 1;
        let old = std::mem::replace(&mut self.small[self.oldest], self.maker.block());
        self.oldest = (self.oldest + 1) % self.small.len();
        let damage = self.buffer.replace(buffer).map_or(0, |buffer| buffer.damage_at_a_glance());
        mix(key, old.free()).wrapping_add(damage)
    }
}

impl Lane for Image<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            tally.add(self.step());
        }
        tally
    }
}

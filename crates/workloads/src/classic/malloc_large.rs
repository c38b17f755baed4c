//! Buffers of many MiB, replaced at random.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use crate::blocks::Buffer;
use crate::memory_limit::within_memory;
use crate::models::{Cycle, Sizes, SizesKind, Touch, max_size, min_size, odd_length, sizes, touch_or_none};
use crate::random::{scatter, stream};

/// Large buffers, allocated and freed.
#[derive(Debug)]
pub(crate) struct MallocLarge;

static ABOUT: About = About {
    name: "classic/malloc-large",
    summary: "replaces random buffers of 5 to 25 MiB",
    unit: "buffer",
    details: "Holds twenty buffers; a unit allocates one of 5 to 25 MiB, writes all of it, puts it in place of a \
              random one and frees that. Nearly all of the time is page faults and writes to fresh memory, unless the \
              allocator keeps freed buffers and gives them out again: so what is seen is policy, time against memory. \
              Read CPU time and system time beside peak memory; compare touch=pages and touch=first, which leave less \
              and less but the calls of the kernel, made=zeroed, where fresh pages need no clearing, and made=grown, \
              where an allocator may move pages instead of bytes. From mimalloc-bench's malloc-large (2019), which \
              does 2,000 replacements on one thread; so does this with the default of one thread. Every buffer has been \
              replaced five times over before the clock starts: the GNU C library maps the first ones singly, and takes \
              later ones from its heap once it has seen some of them freed. Before it is freed a buffer is read in a \
              byte of each page at most.",
    parameters: &[
        Parameter::number("live", 20, 1, 10_000, "buffers over all threads; at least one for each"),
        sizes(SizesKind::Uniform),
        min_size(5 << 20),
        max_size(25 << 20),
        Parameter::choice(
            "made",
            &["plain", "zeroed", "grown"],
            "how a buffer is asked for: as it comes, zeroed, or small and then grown by doubling",
        ),
        touch_or_none(Touch::All),
        Parameter::number("threads", 1, 1, 1024, "threads that work at the same time"),
    ],
};

impl Workload for MallocLarge {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let sizes = Sizes::of(ABOUT.name, setup)?;
        let live = setup.size("live").div_ceil(lanes);
        // The new buffer is there before the old one goes.
        within_memory(ABOUT.name, lanes, (sizes.mean() * (live + 1) * lanes) as u64)?;
        let mut rng = stream(setup.seed, lanes as u64);
        Ok(Box::new(Plan {
            seed: setup.seed,
            lanes,
            live,
            made: setup.choice("made"),
            touch: Touch::of(setup),
            sizes: sizes.cycle(&mut rng),
            places: Cycle::draw(odd_length(live), || rng.usize(..live)),
        }))
    }
}

/// How often every buffer is replaced before the clock starts, about.
const REPLACED: usize = 5;

/// What a buffer has before it grows.
const GROWN_FROM: usize = 1024;

struct Plan {
    seed: u64,
    lanes: usize,
    /// Buffers of each lane.
    live: usize,
    made: &'static str,
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
        let mut replacer = Replacer {
            buffers: Vec::with_capacity(self.live),
            made: self.made,
            touch: self.touch,
            sizes: self.sizes.from(random),
            places: self.places.from(random >> 32),
            key: random,
        };
        for _ in 0..self.live {
            let buffer = replacer.buffer();
            replacer.buffers.push(buffer);
        }
        for _ in 0..REPLACED * self.live {
            drop(replacer.replace());
        }
        Box::new(replacer)
    }
}

struct Replacer {
    buffers: Vec<Buffer>,
    made: &'static str,
    touch: Touch,
    sizes: Cycle,
    places: Cycle,
    key: u64,
}

impl Replacer {
    fn buffer(&mut self) -> Buffer {
        self.key = self.key.wrapping_add(1);
        let (size, alignment) = (self.sizes.next(), align_of::<u64>());
        match self.made {
            "zeroed" => Buffer::zeroed(size, alignment, self.touch, self.key),
            "grown" => {
                let mut buffer = Buffer::new(size.min(GROWN_FROM), alignment, self.touch, self.key);
                while buffer.size() < size {
                    buffer.resize((2 * buffer.size()).min(size));
                }
                buffer
            }
            _ => Buffer::new(size, alignment, self.touch, self.key),
        }
    }
}

impl Replacer {
    /// Puts a new buffer in place of a random one, which comes back.
    fn replace(&mut self) -> Buffer {
        let new = self.buffer();
        std::mem::replace(&mut self.buffers[self.places.next()], new)
    }
}

impl Lane for Replacer {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            let old = self.replace();
            tally.add((old.size() as u64).wrapping_add(old.damage_at_a_glance()));
        }
        tally
    }
}

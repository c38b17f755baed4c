//! Tasks on threads that come and go, with objects of all lifetimes, some of which other tasks take over.

use std::sync::Arc;

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use crate::blocks::{Block, Table};
use crate::memory_limit::within_memory;
use crate::models::{Cycle, LENGTH, Touch, odd_length, touch};
use crate::random::{scatter, stream};
use crate::relay::{Relay, Shift};

/// Everything that is hard for an allocator, mixed.
#[derive(Debug)]
pub(crate) struct Mstress;

static ABOUT: About = About {
    name: "classic/mstress",
    summary: "tasks on short-lived threads, with small and large objects, some exchanged between them",
    unit: "object",
    details: "A thread allocates objects: two in three short-lived ones of 8 to 128 bytes, one in three of up to 512 \
              bytes that it keeps to the end of its task. After each it frees a random short-lived object with a \
              chance of 66 %, and with 25 % exchanges one with what is at a random place of a table shared by all. One \
              object in 100 is a hundred times larger, one in 1,000 a thousand times, one in 10,000 ten thousand \
              times. At its task's end it frees all it has and every second object of its part of the table, and ends; \
              another thread takes the next task. The first thread's tasks have 5,000 objects, the second one's 10,000 \
              and so on up to the eighth's 40,000. All of an object is written when it is allocated and read when it \
              is freed. Stresses remote frees, dead threads' heaps and large objects at once; read peak memory beside \
              throughput. From mimalloc's stress test (Leijen, Microsoft Research, 2018), whose author warns not to \
              benchmark with it, since what it does depends on scheduling. Here it does so only in which object a \
              thread finds in the table; the work and the checksum do not. In the original large objects are about \
              twice as frequent as its own comments say; here they are as said.",
    parameters: &[
        Parameter::number("objects", 5000, 1, 10_000_000, "objects of the first thread's task"),
        Parameter::number("transfers", 1000, 1, 1_000_000, "places in the table where objects are exchanged"),
        Parameter::choice("large", &["yes", "no"], "whether some objects are much larger"),
        touch(Touch::All),
        Parameter::threads(),
    ],
};

/// What a short-lived object has on average, large ones included, and a kept one: for the limit of memory.
const MEAN: usize = 4 * 68 + 4 * 260;

impl Workload for Mstress {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, objects, transfers) = (setup.size("threads"), setup.size("objects"), setup.size("transfers"));
        // Of the objects of a task a third is kept, and about as many of the others are alive at its end.
        let at_once: usize = (0..lanes).map(|lane| task(objects, lane) / 3).sum();
        within_memory(ABOUT.name, lanes, (MEAN * at_once + 300 * transfers) as u64)?;
        let mut rng = stream(setup.seed, lanes as u64);
        let large = setup.choice("large") == "yes";
        Ok(Box::new(Plan {
            seed: setup.seed,
            lanes,
            objects,
            touch: Touch::of(setup),
            // Long enough for the largest objects to be as rare as they should.
            short: Cycle::draw(4 * LENGTH, || size(&mut rng, 16, large)),
            kept: Cycle::draw(4 * LENGTH, || size(&mut rng, 64, large)),
            choices: Cycle::draw(odd_length(0), || rng.u32(..) as usize),
            transfers: Cycle::draw(odd_length(transfers), || rng.usize(..transfers)),
            table: Arc::new(Table::new(transfers)),
        }))
    }
}

/// Objects of a task of this lane.
const fn task(objects: usize, lane: usize) -> usize {
    objects * (lane % 8 + 1)
}

/// A size of up to `words` words, or a large one.
fn size(rng: &mut Rng, words: usize, large: bool) -> usize {
    let factor = match rng.u32(..10_000) {
        _ if !large => 1,
        0 => 10_000,
        1..=10 => 1000,
        11..=110 => 100,
        _ => 1,
    };
    8 * rng.usize(1..=words) * factor
}

struct Plan {
    seed: u64,
    lanes: usize,
    objects: usize,
    touch: Touch,
    short: Cycle,
    kept: Cycle,
    choices: Cycle,
    transfers: Cycle,
    table: Arc<Table>,
}

impl Job for Plan {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let random = scatter(scatter(self.seed) ^ index as u64);
        let task = task(self.objects, index) as u64;
        let stress = Stress {
            lane: index,
            lanes: self.lanes,
            task,
            left: task,
            touch: self.touch,
            short_sizes: self.short.from(random),
            kept_sizes: self.kept.from(random),
            choices: self.choices.from(random >> 16),
            places: self.transfers.from(random >> 32),
            key: random,
            short: Vec::new(),
            kept: Vec::new(),
            table: Arc::clone(&self.table),
        };
        Box::new(Tasks(Relay::new(stress, task)))
    }
}

struct Tasks(Relay<Stress>);

impl Lane for Tasks {
    fn turn(&mut self, turn: &Turn) -> Tally {
        self.0.work(turn.share())
    }
}

/// One lane's tasks, one after the other.
struct Stress {
    lane: usize,
    lanes: usize,
    /// Objects of a task, and how many are left of the present one.
    task: u64,
    left: u64,
    touch: Touch,
    short_sizes: Cycle,
    kept_sizes: Cycle,
    choices: Cycle,
    places: Cycle,
    key: u64,
    /// Places without an object are those that found none in the table, or were freed.
    short: Vec<Option<Block>>,
    kept: Vec<Block>,
    table: Arc<Table>,
}

impl Shift for Stress {
    fn work(&mut self, units: u64) -> Tally {
        let mut checksum = 0_u64;
        for _ in 0..units {
            checksum = checksum.wrapping_add(self.unit());
            self.left -= 1;
            if self.left == 0 {
                checksum = checksum.wrapping_add(self.end_task());
                self.left = self.task;
            }
        }
        Tally { count: units, checksum }
    }
}

impl Stress {
    /// What was allocated, and what is wrong with what was freed.
    fn unit(&mut self) -> u64 {
        self.key = self.key.wrapping_add(1);
        // One number decides everything: its low digits what is done, its size where.
        let choice = self.choices.next();
        let mut checksum;
        if choice.is_multiple_of(3) {
            let block = Block::new(self.kept_sizes.next(), self.key, self.touch);
            checksum = block.stamp();
            self.kept.push(block);
        } else {
            let block = Block::new(self.short_sizes.next(), self.key, self.touch);
            checksum = block.stamp();
            self.short.push(Some(block));
        }
        if self.short.is_empty() {
            return checksum;
        }
        if choice / 3 % 100 < 66 {
            let place = self.some_place(choice);
            if let Some(block) = self.short[place].take() {
                checksum = checksum.wrapping_add(block.discard());
            }
        }
        if (choice / 300).is_multiple_of(4) {
            let place = self.some_place((choice << 7) & 0xffff_ffff);
            let object = self.short[place].take();
            self.short[place] = self.table.swap(self.places.next(), object);
        }
        checksum
    }

    /// The place in the list of short-lived objects that a number below 2^32 stands for.
    const fn some_place(&self, number: usize) -> usize {
        (number * self.short.len()) >> 32
    }

    /// Frees everything, on the thread that is about to end, and makes room in the table.
    fn end_task(&mut self) -> u64 {
        let short = std::mem::take(&mut self.short).into_iter().flatten();
        let kept = std::mem::take(&mut self.kept).into_iter();
        let transferred = (self.lane..self.table.len()).step_by(2 * self.lanes);
        let transferred = transferred.filter_map(|place| self.table.swap(place, None));
        short.chain(kept).chain(transferred).fold(0, |sum, block| sum.wrapping_add(block.discard()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_objects_are_as_rare_as_said() {
        let mut rng = stream(1, 0);
        let drawn: Vec<_> = (0..1_000_000).map(|_| size(&mut rng, 1, true)).collect();
        let share = |bytes| drawn.iter().filter(|size| **size == bytes).count() as f64 / drawn.len() as f64;
        for (factor, expected) in [(100, 0.01), (1000, 0.001), (10_000, 0.0001)] {
            assert!((share(8 * factor) / expected - 1.0).abs() < 0.3, "{factor}: {}", share(8 * factor));
        }
        assert!((0..1000).all(|_| size(&mut rng, 16, false) <= 128));
    }
}

//! Connections that are all open at once and all closed together.
//!
//! Models a proxy with pooled connections: each holds two buffers and many small objects. When they are closed, nearly
//! everything is free, but for a small survivor of each connection: an entry in a cache, a statistic. These are scattered
//! over all that was allocated, and one is enough to keep a page, a run or an arena from being given back.
//!
//! The survivors stay for as long as the process lives, also when everything else is dropped.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::script::{Maker, Script};
use super::{OVERHEAD, SETTLE_MS};
use crate::blocks::Block;
use crate::memory_limit::within_memory;
use crate::models::{Touch, touch};

/// Bursts of connections, and then nothing.
#[derive(Debug)]
pub(crate) struct BurstAndIdle;

/// The sizes of small objects.
const OBJECT: (usize, usize) = (32, 512);

static ABOUT: About = About {
    name: "memory/burst-and-idle",
    summary: "opens many connections, closes all of them, and waits",
    unit: "burst",
    details: "In each burst all connections are opened, each with two buffers and many objects of 32 to 512 bytes, then all \
              are closed. Of each connection a small survivor stays; it takes the place of that of the burst before, and \
              the last ones stay until the process ends. Read from it what is left after 0.5, 5 and 15 seconds of quiet, \
              and how that falls: an allocator that purges on a clock needs the time, one that purges when it is called \
              never gets to it. The shape is that of proxies whose memory stayed after their connections were gone.",
    parameters: &[
        Parameter::number("connections", 300, 1, 1_000_000, "connections of a burst, over all threads"),
        Parameter::number("buffer", 16_384, 8, 1 << 20, "bytes of each of a connection's two buffers"),
        Parameter::number("objects", 200, 0, 10_000, "small objects of a connection"),
        Parameter::number("survivors", 1, 0, 100, "blocks of a connection that stay when it is closed"),
        touch(Touch::All),
        Parameter::threads(),
    ],
};

impl Workload for BurstAndIdle {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn settle_ms(&self) -> &'static [u64] {
        SETTLE_MS
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let touch = Touch::of(setup);
        let job = Bursts {
            lanes,
            connections: setup.size("connections").div_ceil(lanes),
            buffer: setup.size("buffer"),
            objects: setup.size("objects"),
            survivors: setup.size("survivors"),
            touch,
            script: Script::log_uniform(OBJECT.0, OBJECT.1, touch, setup.seed)?,
        };
        let small = job.script.bytes_of(job.objects + job.survivors);
        let connection = 2 * (job.buffer + OVERHEAD) as u64 + small + 8 * job.objects as u64;
        within_memory(ABOUT.name, lanes, connection * (job.connections * lanes) as u64)?;
        Ok(Box::new(job))
    }
}

struct Bursts {
    lanes: usize,
    /// Connections of a lane.
    connections: usize,
    buffer: usize,
    objects: usize,
    survivors: usize,
    touch: Touch,
    script: Script,
}

impl Job for Bursts {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        Box::new(Pool {
            bursts: self,
            maker: self.script.maker(index as u64),
            open: Vec::with_capacity(self.connections),
            survivors: Vec::with_capacity(self.connections * self.survivors),
            made: 0,
        })
    }
}

struct Connection {
    buffers: [Block; 2],
    objects: Vec<Block>,
}

impl Connection {
    /// Frees everything; what was read in it.
    fn close(self) -> u64 {
        let all = self.buffers.into_iter().chain(self.objects);
        all.map(Block::free).fold(0, u64::wrapping_add)
    }
}

struct Pool<'a> {
    bursts: &'a Bursts,
    maker: Maker,
    open: Vec<Connection>,
    survivors: Vec<Block>,
    /// Buffers made so far.
    made: u64,
}

impl Pool<'_> {
    /// Opens the connection of this place among the others. The survivors that take the places of older ones go into the sum.
    fn open(&mut self, place: usize, sum: &mut u64) -> Connection {
        let Bursts { buffer, objects, survivors, touch, .. } = *self.bursts;
        let buffers = [1, 2].map(|more| Block::new(buffer, self.made + more, touch));
        self.made += 2;
        let mut kept = Vec::with_capacity(objects);
        kept.extend((0..objects / 2).map(|_| self.maker.block()));
        for survivor in place * survivors..(place + 1) * survivors {
            let block = self.maker.block();
            if let Some(old) = self.survivors.get_mut(survivor) {
                *sum = sum.wrapping_add(std::mem::replace(old, block).free());
            } else {
                self.survivors.push(block);
            }
        }
        kept.extend((objects / 2..objects).map(|_| self.maker.block()));
        Connection { buffers, objects: kept }
    }
}

impl Lane for Pool<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            let mut sum = 0;
            for place in 0..self.bursts.connections {
                let connection = self.open(place, &mut sum);
                self.open.push(connection);
            }
            tally.add(self.open.drain(..).map(Connection::close).fold(sum, u64::wrapping_add));
        }
        tally
    }
}

impl Drop for Pool<'_> {
    fn drop(&mut self) {
        self.survivors.drain(..).for_each(std::mem::forget);
    }
}

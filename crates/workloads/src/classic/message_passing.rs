//! Messages from producers to consumers, some of them forwarded, with bounds everywhere.

use std::collections::VecDeque;

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::channel::Channel;
use crate::blocks::Block;
use crate::memory_limit::within_memory;
use crate::models::{Cycle, Sizes, SizesKind, Touch, max_size, min_size, sizes, touch};
use crate::random::{scatter, stream};

/// Messages allocated on one thread and freed on another.
#[derive(Debug)]
pub(crate) struct MessagePassing;

static ABOUT: About = About {
    name: "classic/message-passing",
    summary: "allocates messages on some threads, forwards half of them, frees them on others",
    unit: "message",
    details: "A few threads produce messages, as many consume and free them, and from four threads on a quarter only \
              forward: every second lot of messages takes the way through one of those. No thread allocates and frees: \
              everything is freed by another one, which never gives anything back by itself. A bound on the messages \
              under way stops producers that are too fast (back-pressure). Stresses remote frees, and whether freed \
              memory finds its way home; peak memory means something, since the bound does. Read wall time beside CPU \
              time. With one thread it holds as many messages and frees them itself. After snmalloc's msgpass test \
              (snmalloc: A Message Passing Allocator, ISMM 2019), which has three producers, three consumers, two \
              proxies and 4,096 messages; it prints ticks of one run, and here messages are handed over by the lot, so \
              that the channel's lock costs little.",
    parameters: &[
        Parameter::number("outstanding", 4096, 1, 1_000_000, "messages under way at most, about"),
        sizes(SizesKind::Uniform),
        min_size(48),
        max_size(128),
        touch(Touch::First),
        Parameter::threads(),
    ],
};

/// Messages that are handed over at once.
const LOT: usize = 32;

impl Workload for MessagePassing {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, outstanding) = (setup.size("threads"), setup.size("outstanding"));
        let sizes = Sizes::of(ABOUT.name, setup)?;
        let cast = Cast::of(lanes);
        // Beside what waits in the channels, each lane holds a lot, and takes out as much as waits at once.
        let under_way = 2 * outstanding + 2 * LOT * lanes;
        within_memory(ABOUT.name, lanes, ((sizes.mean() + 32) * under_way) as u64)?;
        let capacity = outstanding.div_ceil((cast.proxies + cast.consumers).max(1));
        Ok(Box::new(Post {
            seed: setup.seed,
            lanes,
            outstanding,
            touch: Touch::of(setup),
            sizes: sizes.cycle(&mut stream(setup.seed, lanes as u64)),
            to_proxies: (0..cast.proxies).map(|_| Channel::new(cast.producers, capacity)).collect(),
            to_consumers: (0..cast.consumers).map(|_| Channel::new(cast.producers + cast.proxies, capacity)).collect(),
            cast,
        }))
    }
}

/// How many lanes do what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cast {
    producers: usize,
    proxies: usize,
    consumers: usize,
}

impl Cast {
    /// Eight lanes are three producers, two proxies and three consumers.
    const fn of(lanes: usize) -> Self {
        let proxies = lanes / 4;
        let producers = (lanes - proxies).div_ceil(2);
        Self { producers, proxies, consumers: lanes - proxies - producers }
    }
}

struct Post {
    seed: u64,
    lanes: usize,
    outstanding: usize,
    touch: Touch,
    sizes: Cycle,
    cast: Cast,
    to_proxies: Vec<Channel<Block>>,
    to_consumers: Vec<Channel<Block>>,
}

impl Job for Post {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let Cast { producers, proxies, .. } = self.cast;
        if let Some(inbox) = index.checked_sub(producers) {
            return if inbox < proxies {
                Box::new(Proxy { post: self, inbox, waiting: self.to_proxies[inbox].room(), lots: inbox })
            } else {
                let inbox = inbox - proxies;
                Box::new(Consumer { inbox: &self.to_consumers[inbox], waiting: self.to_consumers[inbox].room() })
            };
        }
        let random = scatter(scatter(self.seed) ^ index as u64);
        let source = Source { sizes: self.sizes.from(random), touch: self.touch, key: random };
        if self.lanes == 1 {
            return Box::new(Alone { source, held: VecDeque::with_capacity(self.outstanding), most: self.outstanding });
        }
        Box::new(Producer { post: self, source, index, lot: Vec::with_capacity(LOT), lots: index })
    }
}

impl Post {
    /// The channel for the lot of this number, to a consumer.
    fn consumer(&self, number: usize) -> &Channel<Block> {
        &self.to_consumers[number % self.to_consumers.len()]
    }
}

struct Source {
    sizes: Cycle,
    touch: Touch,
    key: u64,
}

impl Source {
    #[inline]
    fn message(&mut self) -> Block {
        self.key = self.key.wrapping_add(1);
        Block::new(self.sizes.next(), self.key, self.touch)
    }
}

struct Producer<'a> {
    post: &'a Post,
    source: Source,
    index: usize,
    lot: Vec<Block>,
    /// Lots sent, plus the lane's number so that lanes begin with different receivers.
    lots: usize,
}

impl Producer<'_> {
    fn send(&mut self) {
        let number = self.lots;
        self.lots = self.lots.wrapping_add(1);
        let proxies = &self.post.to_proxies;
        // Numbers count on for both ways, so that each goes round all of its receivers.
        let channel = if number % 2 == 1 && !proxies.is_empty() {
            &proxies[number / 2 % proxies.len()]
        } else {
            self.post.consumer(number / 2)
        };
        channel.send(&mut self.lot);
    }
}

impl Lane for Producer<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        // The producers do all units among them.
        let share = Turn { lanes: self.post.cast.producers, lane: self.index, ..*turn }.share();
        for _ in 0..share {
            let message = self.source.message();
            self.lot.push(message);
            if self.lot.len() == LOT {
                self.send();
            }
        }
        self.send();
        self.post.to_proxies.iter().chain(&self.post.to_consumers).for_each(Channel::close);
        Tally { count: share, checksum: 0 }
    }
}

struct Proxy<'a> {
    post: &'a Post,
    inbox: usize,
    waiting: Vec<Block>,
    lots: usize,
}

impl Lane for Proxy<'_> {
    fn turn(&mut self, _: &Turn) -> Tally {
        while self.post.to_proxies[self.inbox].receive(&mut self.waiting) {
            self.post.consumer(self.lots).send(&mut self.waiting);
            self.lots = self.lots.wrapping_add(1);
        }
        self.post.to_consumers.iter().for_each(Channel::close);
        Tally::default()
    }
}

struct Consumer<'a> {
    inbox: &'a Channel<Block>,
    waiting: Vec<Block>,
}

impl Lane for Consumer<'_> {
    fn turn(&mut self, _: &Turn) -> Tally {
        let mut checksum = 0_u64;
        while self.inbox.receive(&mut self.waiting) {
            for message in self.waiting.drain(..) {
                checksum = checksum.wrapping_add(message.free());
            }
        }
        // Counted where they were made.
        Tally { count: 0, checksum }
    }
}

/// The only thread: it is everybody.
struct Alone {
    source: Source,
    held: VecDeque<Block>,
    most: usize,
}

impl Lane for Alone {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut checksum = 0_u64;
        for _ in 0..turn.share() {
            if self.held.len() == self.most
                && let Some(oldest) = self.held.pop_front()
            {
                checksum = checksum.wrapping_add(oldest.free());
            }
            let message = self.source.message();
            self.held.push_back(message);
        }
        for message in self.held.drain(..) {
            checksum = checksum.wrapping_add(message.free());
        }
        Tally { count: turn.share(), checksum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_has_a_part() {
        assert_eq!(Cast::of(8), Cast { producers: 3, proxies: 2, consumers: 3 });
        assert_eq!(Cast::of(2), Cast { producers: 1, proxies: 0, consumers: 1 });
        for lanes in 2..=1024 {
            let cast = Cast::of(lanes);
            assert_eq!(cast.producers + cast.proxies + cast.consumers, lanes);
            assert!(cast.producers >= 1 && cast.consumers >= 1, "{lanes}: {cast:?}");
        }
    }
}

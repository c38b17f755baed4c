//! Object graphs built on one thread and dropped on another.
//!
//! Models pipelines and message passing: one thread parses or assembles, the next one uses and discards. The lanes form a
//! ring: each builds graphs for its successor and takes those of its predecessor. It reads and drops most of them as they
//! arrive; one in a few goes into a window, and a random older one goes instead. So nearly every block is freed by a thread
//! which did not allocate it. The queues are bounded and made beforehand: handing over allocates nothing and copies a vector's three
//! words. A lane that can neither give nor take parks; nobody spins.
//!
//! Read from it: the price of remote frees (atomic lists, locks, batches), and whether memory freed elsewhere comes back to
//! the thread that needs it, or piles up (peak RSS). With one thread a lane hands to itself: the same work without
//! remote frees, for comparison.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::thread::{self, Thread};

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::text::text;
use crate::checksum::{mix, mix_bytes};
use crate::lock::locked;
use crate::memory_limit::within_memory;
use crate::random::stream;

/// Graphs built on one thread, dropped on the next.
#[derive(Debug)]
pub(crate) struct Handoff;

static ABOUT: About = About {
    name: "graph/handoff",
    summary: "builds object graphs on one thread and drops them on another",
    unit: "graph",
    details: "The threads form a ring. Each builds graphs of reference-counted nodes with texts and puts them into a \
              bounded queue to the next one, which reads and drops them or, one in a few, keeps them in a window in \
              place of a random older one. Nearly every block is freed by another thread than the one that allocated it. Stresses remote \
              frees and how freed memory finds its way back. With one thread nothing is remote: the difference is the \
              price of it. Read wall time too: waiting for a neighbour is no CPU time.",
    parameters: &[
        Parameter::number("nodes", 64, 1, 100_000, "nodes in a graph, on average"),
        Parameter::number("payload", 120, 1, 512, "bytes of the longest text of a node"),
        Parameter::number("live", 2000, 1, 10_000_000, "graphs kept, over all threads; at least one for each"),
        Parameter::number("keep", 4, 1, 1_000_000, "one in so many graphs is kept, the others are dropped on arrival"),
        Parameter::number("capacity", 64, 1, 4096, "graphs that wait between two threads at most"),
        Parameter::threads(),
    ],
};

impl Workload for Handoff {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let capacity = setup.size("capacity");
        let shape = Shape { nodes: setup.size("nodes"), payload: setup.size("payload") };
        let live = setup.size("live").div_ceil(lanes);
        let node = 160 + shape.payload as u64 / 2;
        let graphs = (live + capacity + 1) * lanes;
        within_memory(ABOUT.name, lanes, node * shape.nodes as u64 * graphs as u64)?;
        let queues = (0..lanes).map(|_| Queue::new(capacity)).collect();
        Ok(Box::new(Ring { seed: setup.seed, shape, live, keep: setup.size("keep"), queues }))
    }
}

struct Ring {
    seed: u64,
    shape: Shape,
    /// Graphs that each lane keeps.
    live: usize,
    /// One in so many graphs is kept.
    keep: usize,
    /// The queue at an index leads to the lane of that index.
    queues: Vec<Queue>,
}

impl Job for Ring {
    fn lanes(&self) -> usize {
        self.queues.len()
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let mut build = stream(self.seed, index as u64);
        let window = (0..self.live).map(|_| self.shape.build(&mut build)).collect();
        *locked(&self.queues[index].consumer) = Some(thread::current());
        // What a lane draws for building must not depend on when it takes, so each has a generator of its own.
        let choice = build.fork();
        Box::new(Link { ring: self, index, build, choice, window })
    }
}

/// A bounded queue to one lane.
struct Queue {
    graphs: Mutex<VecDeque<Graph>>,
    capacity: usize,
    /// The thread of the lane that it leads to.
    consumer: Mutex<Option<Thread>>,
}

impl Queue {
    fn new(capacity: usize) -> Self {
        Self { graphs: Mutex::new(VecDeque::with_capacity(capacity)), capacity, consumer: Mutex::new(None) }
    }

    /// Gives the graph back if the queue is full.
    fn push(&self, graph: Graph) -> Result<(), Graph> {
        let mut graphs = locked(&self.graphs);
        if graphs.len() == self.capacity {
            return Err(graph);
        }
        graphs.push_back(graph);
        Ok(())
    }

    fn pop(&self) -> Option<Graph> {
        locked(&self.graphs).pop_front()
    }

    /// Wakes the lane that the queue leads to.
    fn wake_consumer(&self) {
        if let Some(thread) = &*locked(&self.consumer) {
            thread.unpark();
        }
    }
}

/// One lane of the ring.
struct Link<'a> {
    ring: &'a Ring,
    index: usize,
    build: Rng,
    choice: Rng,
    window: Vec<Graph>,
}

impl Lane for Link<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let lanes = self.ring.queues.len();
        let predecessor = (self.index + lanes - 1) % lanes;
        let inbox = &self.ring.queues[self.index];
        let outbox = &self.ring.queues[(self.index + 1) % lanes];
        // Who waits for room in the inbox is the lane that the predecessor's own queue leads to.
        let giver = &self.ring.queues[predecessor];

        let mut to_give = turn.share();
        let mut to_take = turn.share_of(predecessor);
        let mut ready = None;
        // A graph counts where it is built; what arrives has been counted by the predecessor.
        let mut tally = Tally { count: to_give, checksum: 0 };
        while to_give > 0 || to_take > 0 {
            let mut progress = false;
            if to_give > 0 {
                let graph = ready.take().unwrap_or_else(|| self.ring.shape.build(&mut self.build));
                match outbox.push(graph) {
                    Ok(()) => {
                        outbox.wake_consumer();
                        to_give -= 1;
                        progress = true;
                    }
                    Err(graph) => ready = Some(graph),
                }
            }
            if to_take > 0
                && let Some(mut graph) = inbox.pop()
            {
                giver.wake_consumer();
                to_take -= 1;
                progress = true;
                if self.choice.usize(..self.ring.keep) == 0 {
                    let index = self.choice.usize(..self.window.len());
                    std::mem::swap(&mut self.window[index], &mut graph);
                }
                tally.checksum = tally.checksum.wrapping_add(checksum(&graph));
            }
            if !progress {
                // A wake-up since the last look is remembered by the thread's token, so none is lost.
                thread::park();
            }
        }
        tally
    }
}

/// What is handed over: nodes, each holding some that came before it.
struct Graph(Vec<Arc<Node>>);

struct Node {
    value: u64,
    text: Box<str>,
    edges: Vec<Arc<Node>>,
}

struct Shape {
    nodes: usize,
    payload: usize,
}

impl Shape {
    /// A graph of half to one and a half times the average size.
    fn build(&self, rng: &mut Rng) -> Graph {
        let least = self.nodes.div_ceil(2);
        let nodes = rng.usize(least..=2 * self.nodes - least);
        let mut graph: Vec<Arc<Node>> = Vec::with_capacity(nodes);
        for built in 0..nodes {
            let mut edges = Vec::new();
            for _ in 0..rng.usize(..4).min(built) {
                edges.push(Arc::clone(&graph[rng.usize(..built)]));
            }
            graph.push(Arc::new(Node { value: rng.u64(..), text: text(rng, 1, self.payload).into(), edges }));
        }
        Graph(graph)
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // From the youngest, which nobody else holds: the other way round, the last one would drop a chain of all others,
        // as deep on the stack as the graph is large.
        while self.0.pop().is_some() {}
    }
}

/// Reads every node and every edge.
fn checksum(graph: &Graph) -> u64 {
    graph.0.iter().fold(graph.0.len() as u64, |sum, node| {
        let edges = node.edges.iter().fold(node.value, |sum, edge| sum.wrapping_add(edge.value));
        mix_bytes(mix(sum, edges), node.text.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_keeps_order_and_bound_and_never_grows() {
        let queue = Queue::new(3);
        let made = locked(&queue.graphs).capacity();
        let shape = Shape { nodes: 5, payload: 8 };
        let mut rng = Rng::with_seed(1);
        let mut sums = Vec::new();
        for _ in 0..3 {
            let graph = shape.build(&mut rng);
            sums.push(checksum(&graph));
            assert!(queue.push(graph).is_ok());
        }
        let refused = queue.push(shape.build(&mut rng));
        assert!(refused.is_err());
        let popped: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|graph| checksum(&graph)).collect();
        assert_eq!(popped, sums);
        assert_eq!(locked(&queue.graphs).capacity(), made);
    }

    #[test]
    fn the_largest_graph_fits_the_stack() {
        let shape = Shape { nodes: 100_000, payload: 1 };
        let graph = shape.build(&mut Rng::with_seed(1));
        let node = Arc::downgrade(&graph.0[0]);
        drop(graph);
        assert!(node.upgrade().is_none());
    }
}

//! Trees built and dropped by fork and join.
//!
//! Models data-parallel programs on rayon: a tree is built by splitting the work until it is small enough, and consumed in
//! the same way later, by whichever threads are free then. Each unit builds a new tree while the one before it, or a random
//! old one whose place that one takes, is reduced to a checksum and dropped on the way. The branch that the builder forked off is the one that the consumer keeps, so
//! that many subtrees are dropped by another thread than the one which built them.
//!
//! Read from it: how an allocator does when every thread of a pool allocates and frees at once and much of what it frees
//! is foreign. Rayon itself allocates little: its jobs live on the stack.

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::text::text;
use crate::checksum::{mix, mix_bytes};
use crate::joined_pool::JoinedPool;
use crate::memory_limit::within_memory;
use crate::random::{scatter, stream};

/// Trees built and dropped on a rayon pool.
#[derive(Debug)]
pub(crate) struct ForkJoin;

static ABOUT: About = About {
    name: "graph/fork-join",
    summary: "builds and drops binary trees by fork and join on a rayon pool",
    unit: "tree",
    details: "A pool of threads keeps a window of binary trees with texts. A unit forks: one branch builds a new tree, the \
              other consumes and drops the one before it or, one time in a few, puts that one into the window \
              and consumes a random old one; both fork further down to the grain. Subtrees are often \
              dropped by another thread than the one that built them. Stresses small blocks allocated and freed by all \
              threads at once, partly foreign. Threads that find nothing to steal spin a little, which is CPU time of rayon, \
              not of the allocator.",
    parameters: &[
        Parameter::number("nodes", 4000, 1, 1_000_000, "nodes in a tree, on average"),
        Parameter::number("grain", 250, 16, 1_000_000, "nodes of a subtree below which nothing is forked"),
        Parameter::number("live", 48, 1, 1_000_000, "trees kept"),
        Parameter::number(
            "keep",
            4,
            1,
            1_000_000,
            "one in so many trees is kept, the others are dropped in the next unit",
        ),
        Parameter::threads(),
    ],
};

impl Workload for ForkJoin {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (threads, nodes, live) = (setup.size("threads"), setup.size("nodes"), setup.size("live"));
        // A node with its text, and as much again: what is freed by other threads comes back late in some allocators.
        within_memory(ABOUT.name, threads, 280 * nodes as u64 * (live as u64 + 1))?;
        let pool = JoinedPool::start(ABOUT.name, threads)?;
        Ok(Box::new(Nursery {
            seed: setup.seed,
            nodes,
            grain: setup.size("grain"),
            live,
            keep: setup.size("keep"),
            pool,
        }))
    }
}

struct Nursery {
    seed: u64,
    nodes: usize,
    grain: usize,
    live: usize,
    /// One in so many trees is kept.
    keep: usize,
    pool: JoinedPool,
}

impl Job for Nursery {
    fn lanes(&self) -> usize {
        1
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let mut rng = stream(self.seed, index as u64);
        let (window, last) = self.pool.install(|| {
            let mut tree = || self.plan(&mut rng).build();
            ((0..self.live).map(|_| tree()).collect(), tree())
        });
        Box::new(Bed { nursery: self, rng, window, last: Some(last) })
    }
}

impl Nursery {
    /// A tree of half to one and a half times the average size, yet to be built.
    fn plan(&self, rng: &mut Rng) -> Plan {
        let least = self.nodes.div_ceil(2);
        Plan { seed: rng.u64(..), nodes: rng.usize(least..=2 * self.nodes - least), grain: self.grain }
    }
}

struct Bed<'a> {
    nursery: &'a Nursery,
    rng: Rng,
    window: Vec<Node>,
    /// The tree of the unit before.
    last: Option<Node>,
}

impl Lane for Bed<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let Self { nursery, rng, window, last } = self;
        nursery.pool.install(|| {
            let mut tally = Tally::default();
            for _ in 0..turn.share() {
                let plan = nursery.plan(rng);
                let mut old = last.take();
                if let Some(old) = &mut old
                    && rng.usize(..nursery.keep) == 0
                {
                    let index = rng.usize(..window.len());
                    std::mem::swap(&mut window[index], old);
                }
                let consume = || old.map_or(0, |old| old.consume(nursery.grain));
                let (new, sum) = rayon::join(|| plan.build(), consume);
                *last = Some(new);
                tally.add(sum);
            }
            tally
        })
    }
}

struct Node {
    /// Nodes of this subtree.
    nodes: usize,
    value: u64,
    text: Box<str>,
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
}

/// A subtree to be built. It follows from the plan alone, whoever builds it and in whatever order.
struct Plan {
    seed: u64,
    nodes: usize,
    grain: usize,
}

impl Plan {
    fn build(&self) -> Node {
        if self.nodes < self.grain {
            return grow(&mut Rng::with_seed(self.seed), self.nodes);
        }
        let mut rng = Rng::with_seed(self.seed);
        let left = split(&mut rng, self.nodes);
        let part = |side: u64, nodes| Self { seed: scatter(self.seed ^ side), nodes, grain: self.grain };
        let (left_plan, right_plan) = (part(1, left), part(2, self.nodes - 1 - left));
        // The second branch is the one that others may steal.
        let (left, right) = rayon::join(|| left_plan.build(), || right_plan.build());
        Node::new(&mut rng, self.nodes, Some(left), Some(right))
    }
}

/// Builds a subtree on the calling thread.
fn grow(rng: &mut Rng, nodes: usize) -> Node {
    if nodes < 3 {
        let child = (nodes == 2).then(|| grow(rng, 1));
        return Node::new(rng, nodes, child, None);
    }
    let left = split(rng, nodes);
    let (left, right) = (grow(rng, left), grow(rng, nodes - 1 - left));
    Node::new(rng, nodes, Some(left), Some(right))
}

/// How many of at least three nodes go to the left: a quarter to three quarters, so that no tree is deep.
fn split(rng: &mut Rng, nodes: usize) -> usize {
    let children = nodes - 1;
    rng.usize(children.div_ceil(4)..=children - children.div_ceil(4))
}

impl Node {
    fn new(rng: &mut Rng, nodes: usize, left: Option<Self>, right: Option<Self>) -> Self {
        let (left, right) = (left.map(Box::new), right.map(Box::new));
        Self { nodes, value: rng.u64(..), text: text(rng, 1, 96).into(), left, right }
    }

    /// Reads and drops the subtree.
    fn consume(self, grain: usize) -> u64 {
        let Self { nodes, value, text, left, right } = self;
        let read = |side: Option<Box<Self>>| side.map_or(0, |side| side.consume(grain));
        let (right, left) =
            if nodes < grain { (read(right), read(left)) } else { rayon::join(|| read(right), || read(left)) };
        mix(mix(mix_bytes(value, text.as_bytes()), left), right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(node: Option<&Node>) -> usize {
        node.map_or(0, |node| {
            let below = count(node.left.as_deref()) + count(node.right.as_deref());
            assert_eq!(node.nodes, below + 1);
            node.nodes
        })
    }

    #[test]
    fn a_plan_gives_the_nodes_asked_for_and_its_sum_does_not_depend_on_the_grain_of_dropping() {
        for nodes in (1..40).chain([100, 1000, 5000]) {
            let plan = Plan { seed: 7, nodes, grain: 16 };
            assert_eq!(count(Some(&plan.build())), nodes);
            assert_eq!(plan.build().consume(16), plan.build().consume(usize::MAX));
        }
    }
}

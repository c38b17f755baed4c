//! Trees of boxed nodes: built, walked, dropped.
//!
//! Models what parsers, compilers and template engines do: an expression becomes a tree of small nodes of a few kinds,
//! each a heap block of its own, is walked and thrown away as a whole. Some branches are long and thin, some lists are
//! wide and grow by `push`. Most trees die young. One in a few is kept in a window, where it replaces a random older one, so
//! that the blocks of old and new trees come to lie among each other.
//!
//! Read from it: the price of allocating and freeing blocks of some 16 to 80 bytes by the hundred on one thread, and how
//! densely they are packed (peak RSS).

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::text::text;
use crate::checksum::{mix, mix_bytes};
use crate::memory_limit::within_memory;
use crate::random::stream;

/// Deep trees of boxed nodes, built, walked and dropped.
#[derive(Debug)]
pub(crate) struct Tree;

static ABOUT: About = About {
    name: "graph/tree",
    summary: "builds, walks and drops deep trees of boxed nodes",
    unit: "tree",
    details: "Each thread keeps a window of syntax-like trees: leaves with a number or a text, unary and binary nodes, \
              lists that grow by push. A unit builds a new tree, puts one in a few into the window in place of \
              a random old one, and walks and drops the one that is not needed. Stresses \
              allocation and free of small blocks on one thread, in an order that is neither first-in nor last-in. Time \
              says how fast the small-block paths are, peak memory how densely small blocks are packed.",
    parameters: &[
        Parameter::number("nodes", 400, 1, 1_000_000, "nodes in a tree, on average"),
        Parameter::number("depth", 64, 2, 1000, "levels that a tree has at most"),
        Parameter::number("live", 1200, 1, 10_000_000, "trees kept, over all threads; at least one for each"),
        Parameter::number("keep", 4, 1, 1_000_000, "one in so many trees is kept, the others are dropped at once"),
        Parameter::threads(),
    ],
};

impl Workload for Tree {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let job = Forest {
            seed: setup.seed,
            lanes,
            nodes: setup.size("nodes"),
            depth: setup.size("depth"),
            live: setup.size("live").div_ceil(lanes),
            keep: setup.size("keep"),
        };
        // The new tree is there before the old one goes. A node with its block's overhead, averaged over the kinds.
        within_memory(ABOUT.name, lanes, 80 * job.nodes as u64 * (job.live as u64 + 1) * lanes as u64)?;
        Ok(Box::new(job))
    }
}

struct Forest {
    seed: u64,
    lanes: usize,
    nodes: usize,
    depth: usize,
    /// Trees that each lane keeps.
    live: usize,
    /// One in so many trees is kept.
    keep: usize,
}

impl Job for Forest {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let mut rng = stream(self.seed, index as u64);
        let window = (0..self.live).map(|_| self.grow(&mut rng)).collect();
        Box::new(Clearing { forest: self, rng, window })
    }
}

impl Forest {
    /// A tree of half to one and a half times the average size.
    fn grow(&self, rng: &mut Rng) -> Expression {
        let least = self.nodes.div_ceil(2);
        let nodes = rng.usize(least..=2 * self.nodes - least);
        build(rng, nodes, self.depth)
    }
}

struct Clearing<'a> {
    forest: &'a Forest,
    rng: Rng,
    window: Vec<Expression>,
}

impl Lane for Clearing<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            let mut tree = self.forest.grow(&mut self.rng);
            if self.rng.usize(..self.forest.keep) == 0 {
                let index = self.rng.usize(..self.window.len());
                std::mem::swap(&mut self.window[index], &mut tree);
            }
            tally.add(walk(&tree));
        }
        tally
    }
}

/// A tree. Every kind of node is a block of another size.
enum Expression {
    Number(Box<u64>),
    Text(Box<str>),
    Unary(Box<Unary>),
    Binary(Box<Binary>),
    List(Box<List>),
}

struct Unary {
    operator: u64,
    operand: Expression,
}

struct Binary {
    operator: u64,
    left: Expression,
    right: Expression,
}

struct List {
    name: u64,
    items: Vec<Expression>,
}

/// How many items share the nodes evenly where the levels would not do otherwise.
const WIDE: usize = 8;

/// Builds a tree of exactly `nodes` nodes on at most `depth` levels; where there are levels to spare it is lopsided, so
/// that it gets deep. Recursion is as deep as the tree, here, in the walk and in the drop.
fn build(rng: &mut Rng, nodes: usize, depth: usize) -> Expression {
    // The levels that a balanced binary tree of this size has.
    let balanced = nodes.ilog2() as usize + 1;
    match nodes {
        1 => leaf(rng),
        _ if depth == 2 => list(rng, std::iter::repeat_n(1, nodes - 1), 1),
        2 => unary(rng, 1, depth),
        _ if depth < balanced => {
            let width = WIDE.min(nodes - 1);
            let shares = (0..width).map(|item| (nodes - 1 + item) / width);
            list(rng, shares, depth - 1)
        }
        _ if depth == balanced => binary(rng, (nodes - 1) / 2, nodes / 2, depth),
        _ => match rng.u8(..32) {
            0..8 => unary(rng, nodes - 1, depth),
            // Seldom, since each such split halves what can still become deep.
            8 => {
                let left = rng.usize(1..nodes - 1);
                binary(rng, left, nodes - 1 - left, depth)
            }
            9..13 => {
                let leaves = rng.usize(1..=6.min(nodes - 2));
                let rest = nodes - 1 - leaves;
                list(rng, std::iter::repeat_n(1, leaves).chain([rest]), depth - 1)
            }
            _ => {
                let left = rng.usize(1..=4.min(nodes - 2));
                binary(rng, left, nodes - 1 - left, depth)
            }
        },
    }
}

fn leaf(rng: &mut Rng) -> Expression {
    match rng.u64(..) {
        even if even % 2 == 0 => Expression::Number(Box::new(even)),
        _ => Expression::Text(text(rng, 1, 72).into()),
    }
}

fn unary(rng: &mut Rng, operand: usize, depth: usize) -> Expression {
    let operator = rng.u64(..);
    Expression::Unary(Box::new(Unary { operator, operand: build(rng, operand, depth - 1) }))
}

fn binary(rng: &mut Rng, left: usize, right: usize, depth: usize) -> Expression {
    let operator = rng.u64(..);
    let left = build(rng, left, depth - 1);
    Expression::Binary(Box::new(Binary { operator, left, right: build(rng, right, depth - 1) }))
}

/// A list whose items have these numbers of nodes; it does not know how many there will be, as a parser would not.
fn list(rng: &mut Rng, shares: impl Iterator<Item = usize>, depth: usize) -> Expression {
    let name = rng.u64(..);
    let mut items = Vec::new();
    for nodes in shares {
        items.push(build(rng, nodes, depth));
    }
    Expression::List(Box::new(List { name, items }))
}

/// Reads the whole tree.
fn walk(tree: &Expression) -> u64 {
    match tree {
        Expression::Number(number) => mix(1, **number),
        Expression::Text(text) => mix_bytes(2, text.as_bytes()),
        Expression::Unary(node) => mix(node.operator, walk(&node.operand)),
        Expression::Binary(node) => mix(mix(node.operator, walk(&node.left)), walk(&node.right)),
        Expression::List(node) => node.items.iter().fold(node.name, |sum, item| mix(sum, walk(item))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(tree: &Expression) -> (usize, usize) {
        let parts: Vec<_> = match tree {
            Expression::Number(_) | Expression::Text(_) => vec![],
            Expression::Unary(node) => vec![measure(&node.operand)],
            Expression::Binary(node) => vec![measure(&node.left), measure(&node.right)],
            Expression::List(node) => node.items.iter().map(measure).collect(),
        };
        let nodes: usize = parts.iter().map(|part| part.0).sum();
        let levels = parts.iter().map(|part| part.1).max().unwrap_or_default();
        (nodes + 1, levels + 1)
    }

    #[test]
    fn a_tree_has_the_nodes_asked_for_and_no_level_too_many() {
        let mut rng = Rng::with_seed(7);
        for depth in [2, 3, 4, 5, 8, 13, 64, 1000] {
            for nodes in (1..70).chain([100, 127, 128, 129, 1000, 5000]) {
                let (counted, levels) = measure(&build(&mut rng, nodes, depth));
                assert_eq!(counted, nodes, "depth {depth}");
                assert!(levels <= depth, "{levels} levels of {depth}, {nodes} nodes");
            }
        }
    }

    #[test]
    fn trees_use_the_levels_they_may() {
        let mut rng = Rng::with_seed(7);
        let mut deepest = |nodes, depth| (0..20).map(|_| measure(&build(&mut rng, nodes, depth)).1).max();
        assert_eq!(deepest(400, 64), Some(64));
        assert!(deepest(100_000, 1000) > Some(600));
    }
}

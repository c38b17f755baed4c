//! Reference-counted nodes with shared subgraphs and back references, rewired at random.
//!
//! Models build graphs, scene graphs and incremental computations: a node holds the nodes it depends on (`Arc`), knows
//! those that depend on it (`Weak`), and is replaced by a new version while some of its dependents keep the old one. So
//! versions of several ages live side by side, the last dependent to go frees a whole cascade, and a block whose value is
//! dropped stays allocated until the last back reference to it is pruned.
//!
//! Read from it: how an allocator does when the lifetimes of small blocks are decided by reference counts, not by the
//! order in which they were made. Each lane has a graph of its own; the counts are atomic but not contended.

use std::sync::{Arc, Mutex, Weak};

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::limit::within_limit;
use super::lock::locked;
use super::mix::{fold, fold_text, lane_rng};
use super::text::text;

/// A layered graph of `Arc` and `Weak`, rewired at random.
#[derive(Debug)]
pub(crate) struct Dag;

static ABOUT: About = About {
    name: "graph/dag",
    summary: "replaces and rewires nodes of a graph held together by Arc and Weak",
    unit: "rewiring",
    details: "Each thread keeps a layered graph: a node holds nodes of the layer below by Arc and knows its holders by \
              Weak. A unit replaces one random node by a new version, moves about half of the holders over to it and \
              drops what nobody holds any more, which may be a cascade. Stresses blocks of mixed sizes whose lifetimes \
              are unrelated to the order of their allocation, small vectors that grow by realloc, and blocks kept \
              allocated by weak references alone.",
    parameters: &[
        Parameter::number(
            "nodes",
            40_000,
            1,
            10_000_000,
            "current nodes, over all threads; at least one a layer for each",
        ),
        Parameter::number("layers", 8, 2, 64, "layers of a graph; the longest path"),
        Parameter::number("fan", 3, 1, 16, "nodes that a node holds at most"),
        Parameter::number("label", 64, 1, 512, "bytes of the longest label"),
        Parameter::threads(),
    ],
};

impl Workload for Dag {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let layers = setup.size("layers");
        let job = Graphs {
            seed: setup.seed,
            lanes,
            layers,
            width: setup.size("nodes").div_ceil(lanes * layers),
            fan: setup.size("fan"),
            label: setup.size("label"),
        };
        // Old versions can outnumber the current nodes; each node has its own block, edges both ways and a label.
        let node = 4 * (120 + 3 * 8 * job.fan as u64 + job.label as u64);
        within_limit(ABOUT.name, node * (job.width * layers * lanes) as u64)?;
        Ok(Box::new(job))
    }
}

struct Graphs {
    seed: u64,
    lanes: usize,
    layers: usize,
    /// Nodes in a layer of one lane's graph.
    width: usize,
    fan: usize,
    label: usize,
}

impl Job for Graphs {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let mut graph = Graph { shape: self, rng: lane_rng(self.seed, index), layers: Vec::with_capacity(self.layers) };
        for _ in 0..self.layers {
            let layer = (0..self.width).map(|_| graph.new_node(graph.layers.len(), None)).collect();
            graph.layers.push(layer);
        }
        // Old versions pile up until about as many go as come; the timed part starts there.
        for _ in 0..2 * self.width * self.layers {
            graph.rewire();
        }
        Box::new(graph)
    }
}

struct Node {
    value: u64,
    label: Arc<str>,
    children: Mutex<Vec<Arc<Node>>>,
    /// Who holds, or once held, this node.
    parents: Mutex<Vec<Weak<Node>>>,
}

struct Graph<'a> {
    shape: &'a Graphs,
    rng: Rng,
    /// The current nodes, leaves first.
    layers: Vec<Vec<Arc<Node>>>,
}

impl Lane for Graph<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            tally.add(self.rewire());
        }
        tally
    }
}

impl Graph<'_> {
    /// Replaces a random node; a checksum of the old one and of what it holds.
    fn rewire(&mut self) -> u64 {
        let layer = self.rng.usize(..self.shape.layers);
        let slot = self.rng.usize(..self.shape.width);
        let old = Arc::clone(&self.layers[layer][slot]);
        let new = self.new_node(layer, Some(&old));
        for weak in &*locked(&old.parents) {
            let Some(parent) = weak.upgrade() else { continue };
            if self.rng.bool() {
                continue;
            }
            // A parent that has been rewired away before is still listed, but holds the old node no more.
            if let Some(child) = locked(&parent.children).iter_mut().find(|child| Arc::ptr_eq(child, &old)) {
                *child = Arc::clone(&new);
                new.held_by(&parent);
            }
        }
        self.layers[layer][slot] = new;
        old.checksum()
    }

    /// A node that holds current nodes of the layer below. About half of the new versions share the label of the old one.
    fn new_node(&mut self, layer: usize, old: Option<&Arc<Node>>) -> Arc<Node> {
        let rng = &mut self.rng;
        let label = match old {
            Some(old) if rng.bool() => Arc::clone(&old.label),
            _ => text(rng, 1, self.shape.label).into(),
        };
        let children: Vec<_> = if layer == 0 {
            Vec::new()
        } else {
            let below = &self.layers[layer - 1];
            (0..rng.usize(1..=self.shape.fan)).map(|_| Arc::clone(&below[rng.usize(..below.len())])).collect()
        };
        let node = Arc::new(Node {
            value: rng.u64(..),
            label,
            children: Mutex::new(children),
            parents: Mutex::new(Vec::new()),
        });
        for child in &*locked(&node.children) {
            child.held_by(&node);
        }
        node
    }
}

impl Node {
    /// Notes that `parent` holds this node. Dead entries are pruned where the list would have to grow.
    fn held_by(&self, parent: &Arc<Node>) {
        let mut parents = locked(&self.parents);
        if parents.len() == parents.capacity() {
            parents.retain(|weak| weak.strong_count() > 0);
        }
        parents.push(Arc::downgrade(parent));
    }

    fn checksum(self: &Arc<Self>) -> u64 {
        let own = fold_text(fold(self.value, Arc::strong_count(self) as u64), &self.label);
        locked(&self.children).iter().fold(own, |sum, child| fold(sum, child.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes reached from the current ones, each counted once.
    fn alive(graph: &Graph<'_>) -> usize {
        let mut seen = std::collections::HashSet::new();
        let mut open: Vec<_> = graph.layers.iter().flatten().cloned().collect();
        while let Some(node) = open.pop() {
            if seen.insert(Arc::as_ptr(&node)) {
                open.extend(locked(&node.children).iter().cloned());
            }
        }
        seen.len()
    }

    #[test]
    fn subgraphs_are_shared_and_old_versions_do_not_pile_up() {
        let shape = Graphs { seed: 1, lanes: 1, layers: 6, width: 100, fan: 3, label: 20 };
        let mut graph = Graph { shape: &shape, rng: lane_rng(1, 0), layers: Vec::new() };
        for _ in 0..shape.layers {
            let layer = (0..shape.width).map(|_| graph.new_node(graph.layers.len(), None)).collect();
            graph.layers.push(layer);
        }
        let mut counts = Vec::new();
        for _ in 0..30 {
            for _ in 0..shape.layers * shape.width {
                graph.rewire();
            }
            counts.push(alive(&graph));
        }
        let shared = graph.layers[0].iter().filter(|node| Arc::strong_count(node) > 2).count();
        assert!(shared > 0);
        assert!(counts.iter().all(|count| (600..2400).contains(count)), "{counts:?}");
    }

    #[test]
    fn nothing_outlives_the_graph() {
        let shape = Graphs { seed: 1, lanes: 1, layers: 4, width: 50, fan: 2, label: 20 };
        let mut graph = Graph { shape: &shape, rng: lane_rng(1, 0), layers: Vec::new() };
        for _ in 0..shape.layers {
            let layer = (0..shape.width).map(|_| graph.new_node(graph.layers.len(), None)).collect();
            graph.layers.push(layer);
        }
        for _ in 0..1000 {
            graph.rewire();
        }
        let weak: Vec<_> = graph.layers.iter().flatten().map(Arc::downgrade).collect();
        drop(graph);
        assert!(weak.iter().all(|weak| weak.upgrade().is_none()));
    }
}

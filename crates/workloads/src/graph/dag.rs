//! Reference-counted nodes with shared subgraphs and back references, rewired at random.
//!
//! Models build graphs, scene graphs and incremental computations: a node holds the nodes it depends on (`Arc`) and knows
//! those that depend on it (`Weak`). An edit replaces it by a new version with an output of its own, which may differ in an
//! edge or in its label, and moves its dependents over. Edits come in bursts at one place. Some old versions are pinned, as by a reader or an undo
//! list, and with each pin a subgraph as it was; when the pin goes, a cascade frees what nobody else holds. A block
//! whose value has been dropped stays allocated until the last back reference to it is pruned.
//!
//! Read from it: how an allocator does when the lifetimes of small blocks are decided by reference counts, not by the
//! order in which they were made. Each lane has a graph of its own; the counts are atomic but not contended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::text::text;
use crate::checksum::{mix, mix_bytes};
use crate::lock::locked;
use crate::memory_limit::within_memory;
use crate::random::stream;

/// A layered graph of `Arc` and `Weak`, rewired at random.
#[derive(Debug)]
pub(crate) struct Dag;

static ABOUT: About = About {
    name: "graph/dag",
    summary: "replaces and rewires nodes of a graph held together by Arc and Weak",
    unit: "rewiring",
    details: "Each thread keeps a layered graph: a node holds nodes of the layer below by Arc and knows its holders by \
              Weak. A unit replaces a node by a new version with a new output, edge or label, moves its holders over, and \
              drops the old version or pins it in place of an older one, whose end may be a cascade. Stresses small \
              blocks of mixed sizes whose lifetimes are unrelated to the order of their allocation, small vectors that \
              grow by realloc, and blocks kept allocated by weak references alone.",
    parameters: &[
        Parameter::number(
            "nodes",
            40_000,
            1,
            10_000_000,
            "current nodes, over all threads; at least one a layer for each",
        ),
        Parameter::number("layers", 8, 2, 64, "layers of a graph; the longest path"),
        Parameter::number("fan", 4, 1, 16, "nodes that a node holds at most"),
        Parameter::number("label", 64, 1, 512, "bytes of the longest label"),
        Parameter::number("output", 24, 1, 1024, "words of eight bytes in the largest output"),
        Parameter::number("pins", 4000, 1, 10_000_000, "old versions kept, over all threads; at least one for each"),
        Parameter::threads(),
    ],
};

/// How many rewirings happen at one place before another one is chosen, on average.
const BURST: u8 = 8;

/// One in so many old versions is pinned.
const PIN: u8 = 4;

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
            output: setup.size("output"),
            pins: setup.size("pins").div_ceil(lanes),
        };
        // Per version: two blocks, edges both ways, a label, and as much again for blocks that only weak references keep.
        // While a pin lives, PIN versions are made for each pin there is; it may hold any of them.
        let version = 400 + 64 * job.fan as u64 + job.label as u64 / 2 + 4 * job.output as u64;
        let versions = job.width * layers + usize::from(PIN) * job.pins;
        within_memory(ABOUT.name, lanes, version * (versions * lanes) as u64)?;
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
    output: usize,
    /// Old versions that a lane keeps.
    pins: usize,
}

impl Job for Graphs {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let mut graph = Graph::new(self, index);
        // Until about as many blocks go as come.
        for _ in 0..AGE * self.width * self.layers {
            graph.rewire();
        }
        Box::new(graph)
    }
}

/// How many rewirings for each node come before the timed part.
const AGE: usize = 4;

struct Node {
    /// What has been computed from the children, as it were.
    output: Box<[u64]>,
    label: Arc<str>,
    children: Mutex<Vec<Arc<Node>>>,
    /// Who holds, or once held, this node.
    parents: Mutex<Vec<Weak<Node>>>,
    /// There is a newer version.
    superseded: AtomicBool,
}

struct Graph<'a> {
    shape: &'a Graphs,
    rng: Rng,
    /// The current nodes, leaves first.
    layers: Vec<Vec<Arc<Node>>>,
    /// Where the current burst is: a layer and a place in it.
    focus: (usize, usize),
    /// Old versions.
    pins: Vec<Arc<Node>>,
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

impl<'a> Graph<'a> {
    fn new(shape: &'a Graphs, lane: usize) -> Self {
        let rng = stream(shape.seed, lane as u64);
        let (layers, pins) = (Vec::with_capacity(shape.layers), Vec::with_capacity(shape.pins));
        let mut graph = Self { shape, rng, layers, focus: (0, 0), pins };
        for layer in 0..shape.layers {
            let nodes = (0..shape.width).map(|_| graph.first_version(layer)).collect();
            graph.layers.push(nodes);
        }
        graph
    }

    fn first_version(&mut self, layer: usize) -> Arc<Node> {
        let label = text(&mut self.rng, 1, self.shape.label).into();
        let count = if layer == 0 { 0 } else { self.rng.usize(1..=self.shape.fan) };
        let children = (0..count).map(|_| self.any_below(layer)).collect();
        Node::new(self.output(), label, children)
    }

    /// A current node of the layer below.
    fn any_below(&mut self, layer: usize) -> Arc<Node> {
        Arc::clone(&self.layers[layer - 1][self.rng.usize(..self.shape.width)])
    }

    fn output(&mut self) -> Box<[u64]> {
        let first = self.rng.u64(..);
        (0..self.rng.u64(1..=self.shape.output as u64)).map(|word| first.wrapping_add(word)).collect()
    }

    /// Replaces a node by a new version; a checksum of the old one and of what it holds.
    fn rewire(&mut self) -> u64 {
        if self.rng.u8(..BURST) == 0 {
            self.focus = (self.rng.usize(..self.shape.layers), self.rng.usize(..self.shape.width));
        }
        let (layer, place) = self.focus;
        let old = Arc::clone(&self.layers[layer][place]);
        let new = self.next_version(layer, &old);
        old.superseded.store(true, Ordering::Relaxed);
        for weak in &*locked(&old.parents) {
            let Some(parent) = weak.upgrade() else { continue };
            // Old versions keep what they hold. A current one that has let go of this node is still listed.
            if !parent.superseded.load(Ordering::Relaxed)
                && let Some(child) = locked(&parent.children).iter_mut().find(|child| Arc::ptr_eq(child, &old))
            {
                *child = Arc::clone(&new);
                new.held_by(&parent);
            }
        }
        self.layers[layer][place] = new;
        let sum = old.checksum();
        if self.rng.u8(..PIN) == 0 {
            self.pin(old);
        }
        sum
    }

    fn next_version(&mut self, layer: usize, old: &Node) -> Arc<Node> {
        let label =
            if self.rng.bool() { Arc::clone(&old.label) } else { text(&mut self.rng, 1, self.shape.label).into() };
        let mut children = locked(&old.children).clone();
        if layer > 0 {
            match self.rng.u8(..4) {
                0 if children.len() < self.shape.fan => children.push(self.any_below(layer)),
                1 if children.len() > 1 => {
                    children.swap_remove(self.rng.usize(..children.len()));
                }
                2 => {
                    let edge = self.rng.usize(..children.len());
                    children[edge] = self.any_below(layer);
                }
                _ => {}
            }
        }
        Node::new(self.output(), label, children)
    }

    /// Keeps an old version, in place of a random older one once there are enough.
    fn pin(&mut self, old: Arc<Node>) {
        if self.pins.len() < self.shape.pins {
            self.pins.push(old);
        } else {
            let place = self.rng.usize(..self.pins.len());
            self.pins[place] = old;
        }
    }
}

impl Node {
    fn new(output: Box<[u64]>, label: Arc<str>, children: Vec<Arc<Self>>) -> Arc<Self> {
        let (children, parents) = (Mutex::new(children), Mutex::new(Vec::new()));
        let node = Arc::new(Self { output, label, children, parents, superseded: AtomicBool::new(false) });
        for child in &*locked(&node.children) {
            child.held_by(&node);
        }
        node
    }

    /// Notes that `parent` holds this node. Dead entries are pruned where the list would have to grow.
    fn held_by(&self, parent: &Arc<Self>) {
        let mut parents = locked(&self.parents);
        if parents.len() == parents.capacity() {
            parents.retain(|weak| weak.strong_count() > 0);
        }
        parents.push(Arc::downgrade(parent));
    }

    fn checksum(self: &Arc<Self>) -> u64 {
        let output = self.output.iter().fold(self.output.len() as u64, |sum, word| sum.wrapping_add(*word));
        let own = mix_bytes(mix(output, Arc::strong_count(self) as u64), self.label.as_bytes());
        locked(&self.children).iter().fold(own, |sum, child| mix(sum, Arc::strong_count(child) as u64))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const SHAPE: Graphs = Graphs { seed: 1, lanes: 1, layers: 6, width: 100, fan: 3, label: 20, output: 4, pins: 50 };

    /// Nodes reached from these, each once.
    fn reached(from: impl Iterator<Item = Arc<Node>>) -> HashSet<*const Node> {
        let mut seen = HashSet::new();
        let mut open: Vec<_> = from.collect();
        while let Some(node) = open.pop() {
            if seen.insert(Arc::as_ptr(&node)) {
                open.extend(locked(&node.children).iter().cloned());
            }
        }
        seen
    }

    #[test]
    fn current_nodes_hold_current_nodes_and_pins_hold_more() {
        let mut graph = Graph::new(&SHAPE, 0);
        for _ in 0..10_000 {
            graph.rewire();
        }
        let current: HashSet<_> = graph.layers.iter().flatten().map(Arc::as_ptr).collect();
        assert_eq!(current.len(), 600);
        assert_eq!(reached(graph.layers.iter().flatten().cloned()), current);
        let old = reached(graph.pins.iter().cloned()).difference(&current).count();
        assert!(old > SHAPE.pins, "{old} old versions");
    }

    #[test]
    fn old_versions_do_not_pile_up() {
        let mut graph = Graph::new(&SHAPE, 0);
        for _ in 0..30 {
            for _ in 0..SHAPE.layers * SHAPE.width {
                graph.rewire();
            }
            let alive = reached(graph.layers.iter().flatten().chain(&graph.pins).cloned()).len();
            assert!((600..600 + 10 * SHAPE.pins).contains(&alive), "{alive} alive");
        }
    }

    #[test]
    fn nothing_outlives_the_graph() {
        let mut graph = Graph::new(&SHAPE, 0);
        for _ in 0..1000 {
            graph.rewire();
        }
        let weak: Vec<_> = graph.layers.iter().flatten().chain(&graph.pins).map(Arc::downgrade).collect();
        drop(graph);
        assert!(weak.iter().all(|weak| weak.upgrade().is_none()));
    }
}

//! Named choices among the workloads. A family is a set of its own name; a test holds them against the catalogue.

use heapmark_worker::Set;

pub(crate) const SETS: &[Set] = &[
    Set {
        name: "default",
        summary: "objects and JSON in five minutes",
        workloads: &["graph/tree", "graph/records", "graph/handoff", "json/lotofobjects", "json/parse"],
    },
    Set {
        name: "quick",
        summary: "a first impression: one of each kind",
        workloads: &["graph/records", "json/lotofobjects", "classic/larson", "classic/glibc-simple"],
    },
    Set { name: "graph", summary: "object graphs", workloads: GRAPH },
    Set { name: "json", summary: "JSON as services handle it", workloads: JSON },
    Set {
        name: "classic",
        summary: "the stress programs that allocators have always been compared with",
        workloads: CLASSIC,
    },
    Set {
        name: "memory",
        summary: "memory over time: what stays, for how long, and whether it grows",
        workloads: MEMORY,
    },
    Set { name: "control", summary: "work in which no allocator can differ", workloads: CONTROL },
    Set { name: "all", summary: "everything there is", workloads: &ALL },
];

const GRAPH: &[&str] = &["graph/tree", "graph/dag", "graph/records", "graph/handoff", "graph/fork-join", "graph/aged"];

const JSON: &[&str] = &["json/lotofobjects", "json/build", "json/parse", "json/edit", "json/pool"];

const CLASSIC: &[&str] = &[
    "classic/larson",
    "classic/mstress",
    "classic/xmalloc",
    "classic/rptest",
    "classic/alloc-test",
    "classic/sh6",
    "classic/sh8",
    "classic/cache-scratch",
    "classic/cache-thrash",
    "classic/glibc-simple",
    "classic/glibc-thread",
    "classic/malloc-large",
    "classic/mleak",
    "classic/message-passing",
    "classic/slot-table",
    "classic/thread-start",
];

const MEMORY: &[&str] = &[
    "memory/burst-and-idle",
    "memory/queue-drain",
    "memory/bootstrap",
    "memory/pool-per-request",
    "memory/thread-churn",
    "memory/hand-off",
    "memory/free-only",
    "memory/sleeping-owner",
    "memory/blow-up",
    "memory/phase-shift",
    "memory/grow",
    "memory/zeroed",
    "memory/alignment",
    "memory/size-sweep",
];

const CONTROL: &[&str] = &["control/compute", "control/hash", "control/noise"];

/// The families, in the order of the catalogue.
const FAMILIES: &[&[&str]] = &[GRAPH, JSON, CLASSIC, MEMORY, CONTROL];

const ALL: [&str; count(FAMILIES)] = joined(FAMILIES);

const fn count(families: &[&[&str]]) -> usize {
    let (mut count, mut family) = (0, 0);
    while family < families.len() {
        count += families[family].len();
        family += 1;
    }
    count
}

const fn joined<const COUNT: usize>(families: &'static [&'static [&'static str]]) -> [&'static str; COUNT] {
    let mut names = [""; COUNT];
    let (mut at, mut family) = (0, 0);
    while family < families.len() {
        let mut member = 0;
        while member < families[family].len() {
            names[at] = families[family][member];
            (at, member) = (at + 1, member + 1);
        }
        family += 1;
    }
    names
}

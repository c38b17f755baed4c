//! The standard catalogue of workloads, a folder per family.

mod checksum;
mod graph;
mod joined_pool;
mod json;
mod lock;
mod memory_limit;
mod random;

use heapmark_worker::{Catalogue, Set};

/// Every workload of this crate.
pub const CATALOGUE: Catalogue = Catalogue {
    workloads: &[
        &graph::Tree,
        &graph::Dag,
        &graph::Records,
        &graph::Handoff,
        &graph::ForkJoin,
        &graph::Aged,
        &json::LotOfObjects,
        &json::Build,
        &json::Parse,
        &json::Edit,
        &json::Pool,
    ],
    sets: &[Set {
        name: "default",
        summary: "objects and JSON in five minutes",
        workloads: &["graph/tree", "graph/records", "graph/handoff", "json/lotofobjects", "json/parse"],
    }],
    features: json::features,
};

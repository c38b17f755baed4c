//! The standard catalogue of workloads, a folder per family.

use std::fmt;

use heapmark_worker::Catalogue;

mod graph;

/// Every workload of this crate.
pub const CATALOGUE: Catalogue = Catalogue {
    workloads: &[&graph::Tree, &graph::Dag, &graph::Records, &graph::Handoff, &graph::ForkJoin, &graph::Aged],
    features,
};

fn features(out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str("")
}

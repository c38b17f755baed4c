//! The standard catalogue of workloads, a folder per family.

use std::fmt;

use heapmark_worker::Catalogue;

/// Every workload of this crate.
pub const CATALOGUE: Catalogue = Catalogue { workloads: &[], features };

fn features(out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str("")
}

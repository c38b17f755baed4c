//! The standard catalogue of workloads, a folder per family.

mod json;

use std::fmt;

use heapmark_worker::Catalogue;

/// Every workload of this crate.
pub const CATALOGUE: Catalogue =
    Catalogue { workloads: &[&json::LotOfObjects, &json::Build, &json::Parse, &json::Edit, &json::Pool], features };

fn features(out: &mut dyn fmt::Write) -> fmt::Result {
    json::features(out)
}

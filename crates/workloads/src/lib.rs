//! The standard catalogue of workloads, a folder per family.

mod blocks;
mod checksum;
mod classic;
mod control;
mod graph;
mod helper;
mod joined_pool;
mod json;
mod lock;
mod memory;
mod memory_limit;
mod models;
mod random;
mod relay;
mod ring;
mod sets;
#[doc(hidden)]
pub mod small;
#[cfg(test)]
mod tests;

use heapmark_worker::Catalogue;
pub use json::{ObjectLists, features as json_features};

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
        &classic::Larson,
        &classic::Mstress,
        &classic::Xmalloc,
        &classic::Rptest,
        &classic::AllocTest,
        &classic::Sh6,
        &classic::Sh8,
        &classic::CacheScratch,
        &classic::CacheThrash,
        &classic::GlibcSimple,
        &classic::GlibcThread,
        &classic::MallocLarge,
        &classic::Mleak,
        &classic::MessagePassing,
        &classic::SlotTable,
        &classic::ThreadStart,
        &memory::BurstAndIdle,
        &memory::QueueDrain,
        &memory::Bootstrap,
        &memory::PoolPerRequest,
        &memory::ThreadChurn,
        &memory::HandOff,
        &memory::FreeOnly,
        &memory::SleepingOwner,
        &memory::BlowUp,
        &memory::PhaseShift,
        &memory::Grow,
        &memory::Zeroed,
        &memory::AlignmentMix,
        &memory::SizeSweep,
        &control::Compute,
        &control::Hash,
        &control::NoisyNeighbour,
    ],
    sets: sets::SETS,
    features: json::features,
};

//! Every workload once, with parameters that make it small enough to be run often: the one table that tests take them from.

use heapmark_worker::{Setup, Workload};

use crate::{classic, control, graph, json, memory};

/// A workload, and parameters that make it small.
pub struct Small {
    /// The workload.
    pub workload: &'static dyn Workload,
    /// Names and values of the parameters that differ from the defaults.
    pub settings: &'static [(&'static str, &'static str)],
    /// The units of some turns that are quick, and between them reach all that the workload does.
    pub turns: &'static [u64],
}

/// Every second alignment of `memory/alignment` and every size of `memory/size-sweep` comes by.
const MANY: &[u64] = &[1, 70, 130];

/// For units that are large, or start threads.
const FEW: &[u64] = &[1, 4, 9];

/// For whole documents.
const FEWEST: &[u64] = &[1, 3];

const fn small(workload: &'static dyn Workload, settings: &'static [(&'static str, &'static str)]) -> Small {
    Small { workload, settings, turns: MANY }
}

impl Small {
    const fn turns(self, turns: &'static [u64]) -> Self {
        Self { turns, ..self }
    }

    /// The workload's name.
    pub fn name(&self) -> &'static str {
        self.workload.about().name
    }

    /// The small parameters, and `settings` after them. Fails like [`Setup::set`].
    pub fn setup<'a>(
        &self,
        seed: u64,
        settings: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Setup<'static>, String> {
        let mut setup = Setup::new(self.workload.about(), seed);
        for (name, value) in self.settings.iter().copied().chain(settings) {
            setup.set(name, value)?;
        }
        Ok(setup)
    }
}

/// Every workload, in the order of the catalogue.
pub const SMALL: &[Small] = &[
    small(&graph::Tree, &[("nodes", "30"), ("depth", "8"), ("live", "20")]),
    small(&graph::Dag, &[("nodes", "200"), ("layers", "4"), ("label", "20")]),
    small(&graph::Records, &[("records", "100"), ("note", "128"), ("history", "8")]),
    small(&graph::Handoff, &[("nodes", "8"), ("live", "20"), ("capacity", "4")]),
    small(&graph::ForkJoin, &[("nodes", "60"), ("grain", "16"), ("live", "8")]),
    small(&graph::Aged, &[("records", "600"), ("chain", "7"), ("rounds", "2")]),
    small(&json::LotOfObjects, &[("objects", "17"), ("live", "2")]).turns(FEW),
    small(&json::Build, &[("size", "2"), ("live", "2")]).turns(FEW),
    small(&json::Parse, &[("live", "1")]).turns(FEWEST),
    small(&json::Edit, &[("live", "1")]).turns(FEWEST),
    small(&json::Pool, &[("size", "2"), ("live", "3")]).turns(FEW),
    small(&classic::Larson, &[("slots", "50"), ("generation", "100")]),
    small(&classic::Mstress, &[("objects", "20"), ("transfers", "30")]),
    small(&classic::Xmalloc, &[("batch", "10"), ("waiting", "3")]),
    small(&classic::Rptest, &[("live", "20"), ("operations", "5")]),
    small(&classic::AllocTest, &[("slots", "60")]),
    small(&classic::Sh6, &[("live", "12")]),
    small(&classic::Sh8, &[("live", "12")]),
    small(&classic::CacheScratch, &[("writes", "3")]),
    small(&classic::CacheThrash, &[("writes", "3")]),
    small(&classic::GlibcSimple, &[("live", "10")]),
    small(&classic::GlibcThread, &[("slots", "20")]),
    small(&classic::MallocLarge, &[("live", "6"), ("min_size", "8"), ("max_size", "20000")]),
    small(&classic::Mleak, &[("together", "3"), ("transfers", "20")]).turns(FEW),
    small(&classic::MessagePassing, &[("outstanding", "40")]),
    small(&classic::SlotTable, &[("slots", "20")]),
    small(&classic::ThreadStart, &[("blocks", "3"), ("max_size", "1000")]).turns(FEW),
    small(&memory::BurstAndIdle, &[("connections", "4"), ("buffer", "64"), ("objects", "3")]),
    small(&memory::QueueDrain, &[("messages", "20")]),
    small(&memory::Bootstrap, &[("import_kib", "30")]),
    small(&memory::PoolPerRequest, &[("workers", "2"), ("request_kib", "8"), ("max_size", "1000")]).turns(FEW),
    small(&memory::ThreadChurn, &[("workers", "2"), ("buffers", "1"), ("largest_kib", "16")]).turns(FEW),
    small(&memory::HandOff, &[("blocks", "20"), ("min_size", "8")]),
    small(&memory::FreeOnly, &[("live_kib", "4"), ("capacity", "5")]),
    small(&memory::SleepingOwner, &[("owners", "3"), ("set_kib", "8")]),
    small(&memory::BlowUp, &[("live_kib", "16"), ("round_kib", "8"), ("survivors", "20")]),
    small(&memory::PhaseShift, &[("live_kib", "16"), ("steps", "4")]),
    small(&memory::Grow, &[("largest_kib", "20")]),
    small(&memory::Zeroed, &[("smallest_kib", "1"), ("largest_kib", "70")]),
    small(&memory::AlignmentMix, &[("buffer_kib", "8"), ("small", "10")]),
    small(&memory::SizeSweep, &[("step_kib", "4"), ("largest", "2000")]),
    small(&control::Compute, &[("buffer_kib", "64"), ("steps", "10")]),
    small(&control::Hash, &[("buffer_kib", "64"), ("passes", "1")]),
    small(&control::NoisyNeighbour, &[("buffer_kib", "64"), ("steps", "10")]),
];

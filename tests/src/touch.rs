//! A workload that needs an amount of memory known in advance.

use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

/// Allocates some MiB, writes to all of it, and keeps it until the next unit or the end.
#[derive(Clone, Copy, Debug)]
pub struct Touch;

static ABOUT: About = About {
    name: "test/touch",
    summary: "allocates and writes some MiB",
    unit: "allocation",
    details: "For tests of the memory probes.",
    parameters: &[Parameter::number("mib", 200, 0, 4096, "MiB to allocate")],
};

impl Workload for Touch {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        Ok(Box::new(TouchJob { bytes: setup.size("mib") << 20 }))
    }
}

struct TouchJob {
    bytes: usize,
}

impl Job for TouchJob {
    fn lanes(&self) -> usize {
        1
    }

    fn lane(&self, _: usize) -> Box<dyn Lane + '_> {
        Box::new(TouchLane { bytes: self.bytes, kept: Vec::new() })
    }
}

struct TouchLane {
    bytes: usize,
    kept: Vec<u8>,
}

impl Lane for TouchLane {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            // What was kept goes first, so that only one allocation is alive at a time.
            self.kept = Vec::new();
            self.kept = std::hint::black_box(vec![1; self.bytes]);
            tally.add(self.kept.len() as u64);
        }
        tally
    }
}

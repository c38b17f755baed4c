//! Trees of values built from nothing and dropped, in four characters.
//!
//! Models a program that puts a document together: the answer of a query, an index, a report. Stresses, by profile: many
//! small blocks of mixed size (`many-small-strings`), texts that grow by reallocation to a quarter of the document
//! (`few-big-strings`), arrays that double (`numbers`), nodes of over 600 bytes with hardly anything in them (`deep`).
//! Read from it how throughput, peak memory and blow-up depend on what documents consist of.

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};
use serde_json::Value;

use super::generator::{CHOICES, Generator, Profile};
use super::sample::sample;
use super::turnstile::Turnstile;
use super::window::Window;
use crate::checksum::{mix, mix_bytes};
use crate::memory_limit::within_memory;
use crate::random::stream;

/// See the [module](self).
pub(crate) struct Build;

static ABOUT: About = About {
    name: "json/build",
    summary: "value trees of a chosen character built and dropped",
    unit: "document",
    details: "Each unit builds a value tree whose text would have about `size` KiB, samples its content, and gives it a place \
              among the `live` documents of its thread, where it replaces a random one, which is sampled once more and \
              dropped. Strings are cut out of a prepared text, so the time goes into the tree. The profiles are \
              allocation patterns: many-small-strings is blocks of 1 to 40 bytes and map nodes; few-big-strings is texts \
              that grow by reallocation; numbers is arrays that double, and shows the smallest effect; deep is map nodes \
              with two members each, a hundred levels down. With `serialise=yes` each tree is also written to a text. \
              Compare throughput, CPU time and peak memory; blow-up is meaningful.",
    parameters: &[
        Parameter::threads(),
        Parameter::choice("profile", CHOICES, "what the documents consist of"),
        Parameter::number("size", 256, 1, 16_384, "KiB of text that a document would have, about"),
        Parameter::number("live", 8, 0, 1024, "documents that each thread keeps alive"),
        Parameter::choice("serialise", &["no", "yes"], "also write each document to a text"),
    ],
};

impl Workload for Build {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, live, size) = (setup.size("threads"), setup.size("live"), setup.size("size") << 10);
        let profile = Profile::chosen(setup.choice("profile"));
        within_memory(ABOUT.name, lanes, (lanes * (live + 1) * size * profile.memory_factor()) as u64)?;
        let generator = Generator::new(profile, size, setup.seed);
        Ok(Box::new(Plan {
            lanes,
            live,
            serialise: setup.choice("serialise") == "yes",
            seed: setup.seed,
            generator,
            turnstile: Turnstile::default(),
        }))
    }
}

struct Plan {
    lanes: usize,
    live: usize,
    serialise: bool,
    seed: u64,
    generator: Generator,
    turnstile: Turnstile,
}

impl Job for Plan {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let lane = Builder { plan: self, rng: stream(self.seed, index as u64), window: Window::new(self.live) };
        Box::new(self.turnstile.pass(index, lane))
    }
}

struct Builder<'a> {
    plan: &'a Plan,
    rng: Rng,
    window: Window<Value>,
}

impl Lane for Builder<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            let document = self.plan.generator.document(&mut self.rng);
            let mut checksum = if self.plan.serialise {
                mix_bytes(0, &serde_json::to_vec(&document).expect("a value tree serialises"))
            } else {
                sample(&document, self.rng.u64(..))
            };
            if let Some(old) = self.window.keep(document, &mut self.rng) {
                checksum = mix(checksum, sample(&old, checksum));
            }
            tally.add(checksum);
        }
        tally
    }
}

//! Real documents parsed, to value trees or to typed structs.
//!
//! Models a service that reads requests, or a tool that reads its data. Stresses many small blocks made in the order of the
//! text, arrays that grow as elements arrive, and, in the typed form, the buffers that tagged enums and flattened members
//! need before their type is known. Read from it what an allocator does for reading, by the kind of document; peak memory
//! with `live` documents kept says how densely it packs them.

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};
use serde::Serialize;
use serde_json::Value;

use super::documents::{CHOICES, Deal, Document, TREE_BYTES};
use super::sample::sample;
use super::turnstile::Turnstile;
use super::typed::Typed;
use super::window::Window;
use crate::checksum::mix;
use crate::memory_limit::within_memory;
use crate::random::stream;

/// See the [module](self).
pub(crate) struct Parse;

static ABOUT: About = About {
    name: "json/parse",
    summary: "real documents parsed to value trees or typed structs",
    unit: "document",
    details: "Each unit parses one of four real documents: a TopoJSON map of the world (atlas: numbers in short arrays), a \
              database of media types (mime: short strings, flat), the grammar of JavaScript (grammar: a recursive tree), \
              the compatibility tables of CSS at-rules (compat: mixed). `all` deals them out in random order, equally \
              often. The result is sampled, gets a place among the `live` documents of its thread, and replaces a \
              random one, which is sampled once more and dropped. `into=typed` parses to structs with owned strings, where \
              tagged enums and flattened members add buffers. Origins and licences of the documents stand in \
              documents/README.md. Compare throughput, CPU time and peak memory; blow-up is meaningful.",
    parameters: &[
        Parameter::threads(),
        Parameter::choice("document", CHOICES, "which document"),
        Parameter::choice("into", &["value", "typed"], "value tree or typed structs"),
        Parameter::number("live", 8, 0, 256, "documents that each thread keeps alive"),
    ],
};

impl Workload for Parse {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, live) = (setup.size("threads"), setup.size("live"));
        within_memory(ABOUT.name, lanes, (lanes * (live + 1) * TREE_BYTES) as u64)?;
        let documents = Document::chosen(setup.choice("document"));
        let typed = setup.choice("into") == "typed";
        Ok(Box::new(Reader { lanes, live, documents, typed, seed: setup.seed, turnstile: Turnstile::default() }))
    }
}

struct Reader {
    lanes: usize,
    live: usize,
    documents: &'static [Document],
    typed: bool,
    seed: u64,
    turnstile: Turnstile,
}

impl Job for Reader {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let rng = stream(self.seed, index as u64);
        if self.typed {
            Box::new(self.turnstile.pass(index, Reading::new(self, rng, Typed::parse)))
        } else {
            let parse = |document: Document| serde_json::from_slice::<Value>(document.text().as_bytes());
            Box::new(self.turnstile.pass(index, Reading::new(self, rng, parse)))
        }
    }
}

/// A lane that parses documents to `T`.
struct Reading<T> {
    rng: Rng,
    deal: Deal,
    window: Window<T>,
    parse: fn(Document) -> serde_json::Result<T>,
}

impl<T> Reading<T> {
    fn new(reader: &Reader, rng: Rng, parse: fn(Document) -> serde_json::Result<T>) -> Self {
        Self { rng, deal: Deal::new(reader.documents), window: Window::new(reader.live), parse }
    }
}

impl<T: Serialize> Lane for Reading<T> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            let document = self.deal.next(&mut self.rng);
            let parsed = (self.parse)(document).expect("the embedded documents parse");
            let mut checksum = sample(&parsed, self.rng.u64(..));
            if let Some(old) = self.window.keep(parsed, &mut self.rng) {
                checksum = mix(checksum, sample(&old, checksum));
            }
            tally.add(checksum);
        }
        tally
    }
}

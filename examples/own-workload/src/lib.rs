//! A workload of its own: counts how often each word of a text occurs.
use heapmark_worker::{About, Catalogue, Job, Lane, Parameter, Setup, Tally, Turn, Workload};
use std::collections::BTreeMap;

/// What the workers offer.
pub const CATALOGUE: Catalogue = Catalogue { workloads: &[&Words], sets: &[], features: |_| Ok(()) };
static ABOUT: About = About {
    name: "own/words",
    summary: "counts the words of a text",
    unit: "text",
    details: "Each unit counts a text in a fresh map that owns a string for each different word.",
    parameters: &[Parameter::number("words", 1000, 1, 1_000_000, "words of the text"), Parameter::threads()],
};
struct Words;
struct Text(Vec<String>, usize);
impl Workload for Words {
    fn about(&self) -> &About {
        &ABOUT
    }
    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let word = |i: u64| format!("{:x}", (setup.seed ^ i).wrapping_mul(0x9e37_79b9_7f4a_7c15) % 997);
        Ok(Box::new(Text((0..setup.number("words")).map(word).collect(), setup.size("threads"))))
    }
}
impl Job for Text {
    fn lanes(&self) -> usize {
        self.1
    }
    fn lane(&self, _: usize) -> Box<dyn Lane + '_> {
        Box::new(self)
    }
}
impl Lane for &Text {
    fn turn(&mut self, turn: &Turn) -> Tally {
        (0..turn.share()).fold(Tally::default(), |mut tally, _| {
            let mut counts: BTreeMap<String, u64> = BTreeMap::new();
            self.0.iter().for_each(|word| *counts.entry(word.clone()).or_default() += 1);
            tally.add(counts.iter().map(|(word, n)| word.len() as u64 * n * n).sum());
            tally
        })
    }
}

//! A workload of its own: counts how often each word occurs.
use heapmark_worker::{About, Catalogue, Job, Lane, Parameter, Setup, Tally, Turn, Workload};
use std::collections::HashMap;

/// What the workers offer.
pub const CATALOGUE: Catalogue = Catalogue { workloads: &[&Words], sets: &[], features: |_| Ok(()) };
static ABOUT: About = About {
    name: "own/words",
    summary: "counts the words of a text",
    unit: "text",
    details: "Each unit counts a text in a fresh hash map with a string for each different word.",
    parameters: &[Parameter::number("words", 1000, 1, 1_000_000, "words of a text"), Parameter::threads()],
};
struct Words;
struct Text(Vec<String>, usize);
struct Counter<'a>(&'a Text);
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
        Box::new(Counter(self))
    }
}
impl Lane for Counter<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            let mut counts: HashMap<String, u64> = HashMap::new();
            self.0.0.iter().for_each(|word| *counts.entry(word.clone()).or_default() += 1);
            tally.add(counts.iter().map(|(word, n)| word.len() as u64 * n * n).sum());
        }
        tally
    }
}

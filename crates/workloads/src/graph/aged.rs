//! A store that has been churned, then read: what an allocator's placement costs those who only read.
//!
//! Models a long-running in-memory store. Its chains of records are built in order; then, round after round, half of the
//! records are dropped in random order while blocks of other owners take their places, and are made again in random order
//! while the others leave. A record made again has the content it had before. So the number of rounds changes where the
//! records lie, never what is read: the checksum is the same for any number of rounds, and so is the work.
//!
//! The timed part follows the chains and reads every record. It calls the allocator not once. Compare `rounds=0`, freshly
//! built, with the default: the ratio is the price of age. Differences between allocators come from locality (which
//! records share a cache line, a page, a run that the prefetcher sees) and from huge pages.

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use crate::checksum::mix;
use crate::memory_limit::within_memory;
use crate::random::{scatter, stream};

/// A churned store, read.
#[derive(Debug)]
pub(crate) struct Aged;

static ABOUT: About = About {
    name: "graph/aged",
    summary: "reads chains of records in a store that has been churned beforehand",
    unit: "chain",
    details: "Before the clock starts each thread builds chains of records and ages them: for some rounds half of the \
              records go and come back in random order, among blocks of other owners that come and go as well. The \
              timed part only follows the chains and reads, without a single call to the allocator, so it measures \
              where an allocator has put things. With rounds=0 the store is fresh; contents and checksum are the same. \
              Memory shows what the churn has left behind.",
    parameters: &[
        Parameter::number(
            "records",
            160_000,
            1,
            10_000_000,
            "records in the store, over all threads; at least one for each",
        ),
        Parameter::number("rounds", 8, 0, 100, "rounds of churn before the reading; 0 is a fresh store"),
        Parameter::number("chain", 64, 1, 4096, "records in a chain"),
        Parameter::number("words", 24, 1, 512, "words of eight bytes in the largest record"),
        Parameter::threads(),
    ],
};

impl Workload for Aged {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let job = Stores {
            seed: setup.seed,
            lanes,
            records: setup.size("records").div_ceil(lanes),
            rounds: setup.size("rounds"),
            chain: setup.size("chain"),
            words: setup.size("words"),
        };
        let record = 80 + 4 * job.words as u64 + 8 * job.words as u64 / 4;
        within_memory(ABOUT.name, lanes, record * (job.records * lanes) as u64)?;
        Ok(Box::new(job))
    }
}

struct Stores {
    seed: u64,
    lanes: usize,
    /// Records in one lane's store.
    records: usize,
    rounds: usize,
    chain: usize,
    words: usize,
}

struct Record {
    key: u64,
    words: Box<[u64]>,
    next: Option<Box<Record>>,
}

impl Job for Stores {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let mut churn = Churn {
            words: self.words,
            keys: scatter(scatter(self.seed) ^ index as u64),
            rng: stream(self.seed, index as u64),
            records: Vec::with_capacity(self.records),
            others: Vec::with_capacity(self.records / 2),
        };
        for place in 0..self.records {
            let record = Box::new(churn.record(place));
            churn.records.push(Some(record));
        }
        churn.age(self.rounds);
        let mut chains: Vec<Chain> = Vec::with_capacity(self.records.div_ceil(self.chain));
        chains.extend(churn.records.chunks_mut(self.chain).map(link));
        Box::new(Store { chains, position: 0 })
    }
}

/// A store while it is churned.
struct Churn {
    /// Words in the largest record.
    words: usize,
    /// What the records' contents follow from.
    keys: u64,
    rng: Rng,
    /// The records in their logical order, which they keep.
    records: Vec<Option<Box<Record>>>,
    /// Blocks of other owners.
    others: Vec<Box<[u64]>>,
}

impl Churn {
    /// The record of this place; its content depends on nothing else.
    fn record(&self, place: usize) -> Record {
        let key = scatter(self.keys.wrapping_add(place as u64));
        Record { key, words: words(key, Rng::with_seed(key).usize(1..=self.words)), next: None }
    }

    fn age(&mut self, rounds: usize) {
        let mut places: Vec<usize> = (0..self.records.len()).collect();
        for _ in 0..rounds {
            self.rng.shuffle(&mut places);
            let half = places.len().div_ceil(2);
            let leaving = &mut places[..half];
            for (left, place) in leaving.iter().enumerate() {
                self.records[*place] = None;
                if left % 2 == 0 {
                    let length = self.rng.usize(1..=self.words);
                    self.others.push(words(self.rng.u64(..), length));
                }
            }
            self.rng.shuffle(leaving);
            for (returned, place) in leaving.iter().enumerate() {
                self.records[*place] = Some(Box::new(self.record(*place)));
                // A quarter of the others stays for the next round.
                if returned % 2 == 0 && self.others.len() > half / 8 {
                    self.others.swap_remove(self.rng.usize(..self.others.len()));
                }
            }
        }
    }
}

fn words(key: u64, length: usize) -> Box<[u64]> {
    (0..length as u64).map(|word| key.wrapping_mul(word | 1)).collect()
}

/// Records linked in their order. The boxes stay where they are.
struct Chain(Option<Box<Record>>);

fn link(records: &mut [Option<Box<Record>>]) -> Chain {
    let mut head = None;
    for mut record in records.iter_mut().rev().filter_map(Option::take) {
        record.next = head;
        head = Some(record);
    }
    Chain(head)
}

impl Drop for Chain {
    fn drop(&mut self) {
        // One after the other: the nested drop of a long chain would need as much stack as the chain is long.
        let mut next = self.0.take();
        while let Some(mut record) = next {
            next = record.next.take();
        }
    }
}

impl Chain {
    fn read(&self) -> u64 {
        let mut sum = 0;
        let mut next = &self.0;
        while let Some(record) = next {
            let words = record.words.iter().fold(record.key, |sum, word| sum.wrapping_add(*word));
            sum = mix(sum, words);
            next = &record.next;
        }
        sum
    }
}

struct Store {
    chains: Vec<Chain>,
    /// The chain to be read next.
    position: usize,
}

impl Lane for Store {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            tally.add(self.chains[self.position].read());
            self.position += 1;
            if self.position == self.chains.len() {
                self.position = 0;
            }
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use heapmark_worker::run_turns;

    use super::*;

    #[test]
    fn age_changes_where_records_lie_and_never_what_is_read() {
        let run = |rounds: &str, seed| {
            let mut setup = Setup::new(&ABOUT, seed);
            for (name, value) in [("records", "1003"), ("rounds", rounds), ("chain", "10"), ("threads", "2")] {
                setup.set(name, value).unwrap();
            }
            run_turns(&Aged, &setup, &[50, 500]).unwrap()
        };
        assert_eq!(run("0", 1), run("5", 1));
        assert_ne!(run("5", 1), run("5", 2));
    }

    #[test]
    fn churn_moves_records() {
        let mut churn = Churn { words: 8, keys: 1, rng: Rng::with_seed(1), records: Vec::new(), others: Vec::new() };
        churn.records = (0..1000).map(|place| Some(Box::new(churn.record(place)))).collect();
        let addresses = |churn: &Churn| -> Vec<_> {
            churn.records.iter().flatten().map(|record| std::ptr::from_ref(&**record).addr()).collect()
        };
        let before = addresses(&churn);
        churn.age(3);
        let after = addresses(&churn);
        let stayed = before.iter().zip(&after).filter(|(before, after)| before == after).count();
        assert_eq!(after.len(), 1000);
        assert!(stayed < 500, "{stayed} of 1000 stayed");
    }

    #[test]
    fn the_longest_chain_fits_the_stack() {
        let churn = Churn { words: 1, keys: 1, rng: Rng::with_seed(1), records: Vec::new(), others: Vec::new() };
        let mut records: Vec<_> = (0..200_000).map(|place| Some(Box::new(churn.record(place)))).collect();
        let chain = link(&mut records);
        assert_ne!(chain.read(), 0);
        drop(chain);
    }
}

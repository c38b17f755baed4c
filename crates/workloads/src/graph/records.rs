//! A store of records with strings, vectors and hash maps in them, under a mix of operations.
//!
//! Models the state of a service that keeps its entities in memory: records come and go seldom, change often and are
//! read often. A change appends to a text or a history (growth by realloc until it is cut back), sets or removes an
//! attribute (growth of a hash map: a new table, then the old one is freed), or adds a tag.
//!
//! Read from it: the price of realloc for blocks of some ten to two thousand bytes, and how well an allocator copes with
//! long-lived blocks of many sizes that grow, shrink and go at different times.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::BuildHasherDefault;

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

use super::text::text;
use crate::checksum::{mix, mix_bytes};
use crate::memory_limit::within_memory;
use crate::random::stream;

/// A store of records: insert, update, delete, query.
#[derive(Debug)]
pub(crate) struct Records;

static ABOUT: About = About {
    name: "graph/records",
    summary: "inserts, updates, deletes and queries records made of strings, vectors and hash maps",
    unit: "operation",
    details: "Each thread has a hash map of records; a record has a name, a note that is appended to, a list of tags, a \
              hash map of attributes and a history of events. Of sixteen operations about four query a record, ten \
              update one, one inserts and one deletes. Stresses growth by realloc, and long-lived blocks of many sizes \
              that change and go independently. Peak memory shows what an allocator loses to rounding and to holes.",
    parameters: &[
        Parameter::number("records", 16_000, 1, 10_000_000, "records kept, over all threads; at least one for each"),
        Parameter::number("note", 1024, 64, 65_536, "bytes at which a record's note is cut back"),
        Parameter::number("history", 48, 4, 4096, "events at which a record's history is cut back"),
        Parameter::threads(),
    ],
};

impl Workload for Records {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let lanes = setup.size("threads");
        let job = Stores {
            seed: setup.seed,
            lanes,
            records: setup.size("records").div_ceil(lanes),
            note: setup.size("note"),
            history: setup.size("history"),
        };
        let record = 2500 + job.note as u64 + (job.history * size_of::<Event>()) as u64;
        within_memory(ABOUT.name, lanes, record * (job.records * lanes) as u64)?;
        Ok(Box::new(job))
    }
}

struct Stores {
    seed: u64,
    lanes: usize,
    /// Records in one lane's store.
    records: usize,
    note: usize,
    history: usize,
}

impl Job for Stores {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        // The store moves a little around its size, and neither it nor the list of keys should grow while timed.
        let room = 2 * self.records + 2;
        let mut store = Store {
            limits: self,
            rng: stream(self.seed, index as u64),
            keys: Vec::with_capacity(room),
            records: HashMap::with_capacity_and_hasher(room, Hasher::default()),
            inserted: 0,
        };
        for _ in 0..self.records {
            store.insert();
        }
        // Records of all ages, as in a store that has been running.
        for _ in 0..4 * self.records {
            store.update();
        }
        Box::new(store)
    }
}

/// The standard library's hash function with fixed keys: as costly as in most programs, the same in every run.
type Hasher = BuildHasherDefault<DefaultHasher>;

struct Record {
    name: String,
    note: String,
    tags: Vec<String>,
    attributes: HashMap<u64, String, Hasher>,
    history: Vec<Event>,
}

struct Event {
    kind: u64,
    amount: u64,
}

/// Attributes have one of so many keys, which bounds their number.
const ATTRIBUTE_KEYS: u64 = 24;

/// A record has at most so many tags.
const TAGS: usize = 8;

struct Store<'a> {
    limits: &'a Stores,
    rng: Rng,
    records: HashMap<u64, Record, Hasher>,
    /// The keys of the records, to draw one from.
    keys: Vec<u64>,
    /// Records inserted so far; the last one's key.
    inserted: u64,
}

impl Lane for Store<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            tally.add(self.operate());
        }
        tally
    }
}

impl Store<'_> {
    /// One operation of the mix.
    fn operate(&mut self) -> u64 {
        match self.rng.u8(..16) {
            0..4 => self.query(),
            4..14 => self.update(),
            // At random, but never further than a tenth from the store's size.
            _ => {
                let (size, slack) = (self.limits.records, self.limits.records / 10);
                let live = self.keys.len();
                let insert = if live <= size - slack { true } else { live <= size + slack && self.rng.bool() };
                if insert { self.insert() } else { self.delete() }
            }
        }
    }

    fn insert(&mut self) -> u64 {
        let rng = &mut self.rng;
        self.inserted += 1;
        let key = self.inserted;
        let mut record = Record {
            name: text(rng, 8, 40).to_owned(),
            note: text(rng, 0, 64).to_owned(),
            tags: Vec::new(),
            attributes: HashMap::default(),
            history: Vec::new(),
        };
        for _ in 0..rng.u8(..4) {
            record.tags.push(text(rng, 3, 24).to_owned());
        }
        for _ in 0..rng.u8(1..6) {
            record.attributes.insert(rng.u64(..ATTRIBUTE_KEYS), text(rng, 1, 100).to_owned());
        }
        record.history.push(Event { kind: 0, amount: rng.u64(..) });
        let sum = mix_bytes(key, record.name.as_bytes());
        self.records.insert(key, record);
        self.keys.push(key);
        sum
    }

    fn delete(&mut self) -> u64 {
        let index = self.rng.usize(..self.keys.len());
        let key = self.keys.swap_remove(index);
        let Some(record) = self.records.remove(&key) else { return 0 };
        let tags = record.tags.iter().fold(key, |sum, tag| mix_bytes(sum, tag.as_bytes()));
        mix(mix_bytes(tags, record.note.as_bytes()), record.attributes.len() as u64)
    }

    /// Changes one thing in a random record.
    fn update(&mut self) -> u64 {
        let rng = &mut self.rng;
        let key = self.keys[rng.usize(..self.keys.len())];
        let Some(record) = self.records.get_mut(&key) else { return 0 };
        match rng.u8(..8) {
            0..3 => {
                if record.history.len() >= self.limits.history {
                    // Keeps the younger half, in a block that fits.
                    record.history = record.history.split_off(self.limits.history / 2);
                }
                record.history.push(Event { kind: rng.u64(..8), amount: rng.u64(..) });
                mix(key, record.history.len() as u64)
            }
            3..5 => {
                if record.note.len() >= self.limits.note {
                    record.note.truncate(self.limits.note / 8);
                    record.note.shrink_to_fit();
                }
                record.note.push_str(text(rng, 8, 64));
                mix(key, record.note.len() as u64)
            }
            5..7 => {
                let name = rng.u64(..ATTRIBUTE_KEYS);
                let old = if rng.u8(..3) == 0 {
                    record.attributes.remove(&name)
                } else {
                    record.attributes.insert(name, text(rng, 1, 100).to_owned())
                };
                old.map_or(key, |old| mix_bytes(key, old.as_bytes()))
            }
            _ => {
                if record.tags.len() >= TAGS {
                    record.tags.swap_remove(rng.usize(..TAGS));
                }
                record.tags.push(text(rng, 3, 24).to_owned());
                mix(key, record.tags.len() as u64)
            }
        }
    }

    /// Reads a random record.
    fn query(&mut self) -> u64 {
        let rng = &mut self.rng;
        let key = self.keys[rng.usize(..self.keys.len())];
        let Some(record) = self.records.get(&key) else { return 0 };
        let attribute = record.attributes.get(&rng.u64(..ATTRIBUTE_KEYS));
        let sum = attribute.map_or(key, |value| mix_bytes(key, value.as_bytes()));
        let amount = record.history.iter().fold(0, |sum: u64, event| sum.wrapping_add(event.amount ^ event.kind));
        mix(mix_bytes(sum, record.name.as_bytes()), amount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_keeps_its_size_and_its_records_their_bounds() {
        for records in [1, 5, 300] {
            let limits = Stores { seed: 1, lanes: 1, records, note: 100, history: 6 };
            let mut store = Store {
                limits: &limits,
                rng: stream(1, 0),
                records: HashMap::default(),
                keys: Vec::new(),
                inserted: 0,
            };
            for _ in 0..records {
                store.insert();
            }
            for _ in 0..20_000 {
                store.operate();
                let slack = records / 10;
                assert!((records - slack..=records + slack + 1).contains(&store.records.len()));
                assert_eq!(store.records.len(), store.keys.len());
            }
            assert!(store.inserted > 500, "records are replaced");
            for record in store.records.values() {
                assert!(record.note.len() < limits.note + 64 && record.history.len() <= limits.history);
                assert!(record.tags.len() <= TAGS);
            }
        }
    }
}

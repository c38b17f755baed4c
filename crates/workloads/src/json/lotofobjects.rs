//! A web service's response: thousands of small objects, built, serialised and dropped for each request.
//!
//! Models a field report on a web server whose response was a list of 3,000 objects, 251,001 bytes of JSON, with
//! fixed-width members and one boolean. Stresses what such a service spends its time on: short-lived blocks of three
//! sizes (names and strings, the node of a map), an array and a text that double until they fit, and all of it given back
//! at once. Read throughput from it; with `live` also what kept responses do to peak memory.
//!
//! An object is `{"active":true,"email":"…","id":"…","name":"…"}`: 82 bytes with `true`, 83 with `false`. Of three objects
//! in a row one is active, at a random place, and the last one or two, where they do not make three, are not. So every
//! document of `n` objects has 2 brackets, `n − 1` commas and `83 n − ⌊n / 3⌋` bytes of objects: `84 n + 1 − ⌊n / 3⌋`.

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};
use serde_json::{Map, Value};

use super::turnstile::Turnstile;
use super::window::Window;
use crate::checksum::mix_bytes;
use crate::memory_limit::within_memory;
use crate::random::stream;

/// See the [module](self).
pub(crate) struct LotOfObjects;

static ABOUT: About = About {
    name: "json/lotofobjects",
    summary: "a web service's responses: 3,000 small objects built, serialised and dropped",
    unit: "request",
    details: "Each request builds an array of objects with four members (three strings of fixed width, one boolean) as a \
              value tree with owned keys and strings, serialises it into a text that grows as it is written, checks every \
              byte and drops everything. At the default of 3,000 objects the document has exactly 251,001 bytes, as in \
              the field report on a web server that this workload follows; for n objects it has 84 n + 1 - n/3 bytes, \
              n/3 rounded down. Nearly all blocks are small, short-lived and freed together by the thread that made \
              them. `live` keeps the trees and texts of so many requests in each thread. Compare throughput and CPU time.",
    parameters: &[
        Parameter::threads(),
        Parameter::number("objects", 3000, 1, 100_000, "objects in each document"),
        Parameter::number("live", 0, 0, 256, "responses that each thread keeps alive"),
    ],
};

const ID: usize = 12;
const NAME: usize = 10;
/// The part of an address before the `@`.
const LOCAL: usize = 6;
const DOMAIN: &str = "@mail.test";

/// An object takes at most so many bytes of memory: a map's node, four keys, three strings, its text and its place in the
/// array, the last two up to twice while they grow.
const OBJECT_BYTES: usize = 1200;

impl Workload for LotOfObjects {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, objects, live) = (setup.size("threads"), setup.size("objects"), setup.size("live"));
        within_memory(ABOUT.name, lanes, (lanes * (live + 1) * objects * OBJECT_BYTES) as u64)?;
        let words = ObjectLists::new(setup.seed);
        Ok(Box::new(Service { lanes, objects, live, seed: setup.seed, words, turnstile: Turnstile::default() }))
    }
}

struct Service {
    lanes: usize,
    objects: usize,
    live: usize,
    seed: u64,
    words: ObjectLists,
    turnstile: Turnstile,
}

impl Job for Service {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let rng = stream(self.seed, index as u64);
        let lane = Requests { service: self, rng, window: Window::new(self.live) };
        Box::new(self.turnstile.pass(index, lane))
    }
}

struct Requests<'a> {
    service: &'a Service,
    rng: Rng,
    window: Window<Response>,
}

struct Response {
    _objects: Value,
    text: Vec<u8>,
}

impl Lane for Requests<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            let objects = self.service.words.objects(self.service.objects, &mut self.rng);
            let text = serde_json::to_vec(&objects).expect("a value tree serialises");
            let mut checksum = mix_bytes(0, &text);
            let sent = self.window.keep(Response { _objects: objects, text }, &mut self.rng);
            // A response that was kept is checked once more before it goes.
            if let (1.., Some(old)) = (self.service.live, sent) {
                checksum = mix_bytes(checksum, &old.text);
            }
            tally.add(checksum);
        }
        tally
    }
}

/// The lists of objects that the responses consist of, made from digits and letters that their members are cut out of.
pub struct ObjectLists {
    digits: Box<str>,
    letters: Box<str>,
}

impl ObjectLists {
    const LENGTH: usize = 1 << 14;

    /// Those of this seed.
    pub fn new(seed: u64) -> Self {
        let mut rng = stream(seed, u64::MAX);
        let digits = (0..Self::LENGTH).map(|_| rng.digit(16)).collect();
        let letters = (0..Self::LENGTH).map(|_| rng.lowercase()).collect();
        Self { digits, letters }
    }

    /// A list of so many objects: the same for the same number, and another for another.
    pub fn list(&self, objects: usize, number: u64) -> Value {
        self.objects(objects, &mut stream(number, 0))
    }

    fn objects(&self, count: usize, rng: &mut Rng) -> Value {
        let mut objects = Vec::new();
        let mut active = 0;
        for place in 0..count {
            if place % 3 == 0 {
                active = if place + 3 <= count { place + rng.usize(..3) } else { count };
            }
            objects.push(self.object(place == active, rng));
        }
        Value::Array(objects)
    }

    fn object(&self, active: bool, rng: &mut Rng) -> Value {
        let mut email = String::with_capacity(LOCAL + DOMAIN.len());
        email.push_str(cut(&self.letters, LOCAL, rng));
        email.push_str(DOMAIN);
        let mut object = Map::new();
        object.insert("id".to_owned(), Value::String(cut(&self.digits, ID, rng).to_owned()));
        object.insert("name".to_owned(), Value::String(cut(&self.letters, NAME, rng).to_owned()));
        object.insert("email".to_owned(), Value::String(email));
        object.insert("active".to_owned(), Value::Bool(active));
        Value::Object(object)
    }
}

/// A random piece of `text`.
fn cut<'a>(text: &'a str, length: usize, rng: &mut Rng) -> &'a str {
    let start = rng.usize(..=text.len() - length);
    &text[start..start + length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_s_document_has_251_001_bytes_whatever_the_seed() {
        for seed in 0..20 {
            let words = ObjectLists::new(seed);
            let mut rng = stream(seed, 0);
            let texts: Vec<_> = (0..5).map(|_| words.objects(3000, &mut rng).to_string()).collect();
            assert!(texts.iter().all(|text| text.len() == 251_001));
            assert!(texts.iter().skip(1).all(|text| *text != texts[0]), "requests differ");
        }
    }

    #[test]
    fn a_list_follows_from_its_number() {
        let lists = ObjectLists::new(3);
        assert_eq!(lists.list(9, 1), lists.list(9, 1));
        assert_ne!(lists.list(9, 1), lists.list(9, 2));
    }

    #[test]
    fn any_number_of_objects_has_the_documented_length() {
        let words = ObjectLists::new(9);
        let mut rng = stream(9, 9);
        for objects in (1..40).chain([2999, 3001]) {
            let document = words.objects(objects, &mut rng);
            assert_eq!(document.to_string().len(), 84 * objects + 1 - objects / 3);
            let active = document.as_array().unwrap().iter().filter(|object| object["active"] == true).count();
            assert_eq!(active, objects / 3);
        }
    }
}

//! A workload to start from: requests with parameters, parsed into a map and answered with a text. Put your own work in its place.

use std::collections::BTreeMap;

use heapmark_worker::{About, Catalogue, Job, Lane, Parameter, Setup, Tally, Turn, Workload};

/// What the workers of this package offer.
pub const CATALOGUE: Catalogue = Catalogue {
    workloads: &[&Requests],
    sets: &[],
    features: |_| Ok(()),
};

static ABOUT: About = About {
    name: "own/my-workload",
    summary: "parses requests into maps and answers them",
    unit: "request",
    details: "Each request is split into keys and values, which a map owns; the answer is a text made from the map. Both are \
              dropped. Stresses short-lived strings of some ten bytes, and the nodes of a small map.",
    parameters: &[
        Parameter::number("fields", 30, 1, 10_000, "fields of a request"),
        Parameter::threads(),
    ],
};

/// The workload.
pub struct Requests;

impl Workload for Requests {
    fn about(&self) -> &About {
        &ABOUT
    }

    /// Makes the inputs, which is not timed. All randomness follows from the seed: every allocator must get the same work.
    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let fields = setup.number("fields");
        let mut random = setup.seed;
        let mut next = || {
            // SplitMix64; any generator will do.
            random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (random ^ (random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed ^ (mixed >> 27)
        };
        let mut request = || {
            (0..fields)
                .map(|_| format!("key{}={:x}&", next() % 1000, next()))
                .collect()
        };
        let requests = (0..64).map(|_| request()).collect();
        Ok(Box::new(Server {
            requests,
            threads: setup.size("threads"),
        }))
    }
}

/// The workload made ready: what its threads share.
struct Server {
    requests: Vec<String>,
    threads: usize,
}

impl Job for Server {
    fn lanes(&self) -> usize {
        self.threads
    }

    /// One thread's state, made on that thread.
    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        Box::new(Handler {
            server: self,
            next: index,
        })
    }
}

struct Handler<'a> {
    server: &'a Server,
    next: usize,
}

impl Lane for Handler<'_> {
    /// This is timed: this thread's share of the units, and a checksum that depends on all that was made.
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            let request = &self.server.requests[self.next % self.server.requests.len()];
            self.next += 1;
            tally.add(answer(request).bytes().map(u64::from).sum());
        }
        tally
    }
}

/// The answer to a request.
fn answer(request: &str) -> String {
    let pairs = request.split('&').filter_map(|field| field.split_once('='));
    let fields: BTreeMap<String, String> = pairs
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let mut answer = String::new();
    for (key, value) in &fields {
        answer.push_str(key);
        answer.push_str(": ");
        answer.push_str(value);
        answer.push('\n');
    }
    answer
}

#[cfg(test)]
mod tests {
    use heapmark_worker::run_turns;

    use super::*;

    #[test]
    fn the_same_seed_is_the_same_work() {
        let run = |seed| {
            let mut setup = Setup::new(Requests.about(), seed);
            setup.set("threads", "2").expect("it is in range");
            run_turns(&Requests, &setup, &[0, 1, 100]).expect("the parameters are in range")
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
        assert_eq!(
            run(1).iter().map(|tally| tally.count).collect::<Vec<_>>(),
            [0, 1, 100]
        );
    }

    #[test]
    fn an_answer_has_every_field_once() {
        assert_eq!(answer("b=2&a=1&b=3&"), "a: 1\nb: 3\n");
    }
}

//! Real HTTP servers as heapmark workloads: the family `service`.
//!
//! A worker of this family runs a server inside itself, of one of several [stacks](STACKS), and starts `heapmark-load` to put it
//! under load: a process of its own that is never on the allocator under test. A turn is a number of requests, all of which must
//! be answered rightly.
//!
//! The family has workers of its own, since the standard ones need not link its stacks: a crate below `services/` each, of the
//! same few lines as a backend of the standard workloads.

mod cores;
mod descriptors;
mod endpoints;
mod generator;
mod lasting;
mod random;
mod scenario;
mod service;
mod sets;
mod stacks;

use std::fmt;

use heapmark_worker::{Catalogue, Workload};

pub use endpoints::{Answer, Contents, Disturbance, Endpoints, Method, ROUTES, Route};
pub use service::{Service, services};
pub use stacks::{STACK_NAMES, STACKS, Server, Size, Stack};

/// Every workload of this crate.
pub const CATALOGUE: Catalogue = Catalogue { workloads: &WORKLOADS, sets: sets::SETS, features };

const COUNT: usize = scenario::SCENARIOS.len();

static SERVICES: [Service; COUNT] = services(None);

static WORKLOADS: [&dyn Workload; COUNT] = {
    let mut all: [&dyn Workload; COUNT] = [&SERVICES[0]; COUNT];
    let mut index = 0;
    while index < COUNT {
        all[index] = &SERVICES[index];
        index += 1;
    }
    all
};

/// Writes how `serde_json` behaves in this program, and the version of each stack.
fn features(out: &mut dyn fmt::Write) -> fmt::Result {
    heapmark_workloads::json_features(out)?;
    STACKS.iter().try_for_each(|stack| write!(out, "; {} {}", stack.crate_name, stack.version))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_workload_is_of_the_family_and_in_its_set() {
        let names: Vec<_> = CATALOGUE.workloads.iter().map(|workload| workload.about().name).collect();
        assert!(names.iter().all(|name| name.starts_with("service/")));
        let family = CATALOGUE.sets.iter().find(|set| set.name == "service").expect("the family is a set");
        assert_eq!(family.workloads, names);
    }

    #[test]
    fn sets_name_workloads_with_parameters_that_they_have() {
        let names: BTreeSet<_> = CATALOGUE.sets.iter().map(|set| set.name).collect();
        assert_eq!(names.len(), CATALOGUE.sets.len(), "no two sets have one name");
        for set in CATALOGUE.sets {
            let cases: BTreeSet<_> = set.workloads.iter().collect();
            assert_eq!(cases.len(), set.workloads.len(), "{} names none twice", set.name);
            for case in set.workloads {
                let (name, parameters) = case.split_once('?').unwrap_or((case, ""));
                let workload = CATALOGUE.find(name).expect("it is in the catalogue");
                let mut setup = heapmark_worker::Setup::new(workload.about(), 1);
                for pair in parameters.split('&').filter(|pair| !pair.is_empty()) {
                    let (name, value) = pair.split_once('=').expect("a parameter has a value");
                    setup.set(name, value).unwrap_or_else(|error| panic!("{}: {error}", set.name));
                }
            }
        }
    }

    #[test]
    fn what_is_reported_names_every_stack() {
        let mut line = String::new();
        features(&mut line).expect("a string takes everything");
        assert!(STACKS.iter().all(|stack| line.contains(stack.version)), "{line}");
        assert!(line.starts_with("serde_json"), "{line}");
    }
}

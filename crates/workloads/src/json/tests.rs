//! What holds for every workload of the family.

use heapmark_worker::{Setup, Tally, Workload, run_turns};

use super::{Build, Edit, LotOfObjects, Parse, Pool};

/// A workload and the parameters that differ from its defaults.
type Case = (&'static dyn Workload, &'static [(&'static str, &'static str)]);

/// Workloads with parameters that between them reach every variant, the least values, and the greatest that are cheap.
const CASES: &[Case] = &[
    (&LotOfObjects, &[]),
    (&LotOfObjects, &[("objects", "1"), ("live", "256")]),
    (&LotOfObjects, &[("objects", "17"), ("live", "2")]),
    (&Build, &[]),
    (&Build, &[("size", "1"), ("live", "0")]),
    (&Build, &[("size", "1"), ("live", "1024"), ("serialise", "yes")]),
    (&Build, &[("profile", "few-big-strings"), ("size", "1"), ("live", "1")]),
    (&Build, &[("profile", "few-big-strings"), ("live", "1")]),
    (&Build, &[("profile", "numbers"), ("size", "3"), ("live", "2"), ("serialise", "yes")]),
    (&Build, &[("profile", "deep"), ("size", "8"), ("live", "2"), ("serialise", "yes")]),
    (&Parse, &[]),
    (&Parse, &[("live", "0"), ("into", "typed")]),
    (&Parse, &[("document", "atlas"), ("live", "1")]),
    (&Parse, &[("document", "mime"), ("live", "1"), ("into", "typed")]),
    (&Parse, &[("document", "grammar"), ("live", "2")]),
    (&Parse, &[("document", "compat"), ("live", "1"), ("into", "typed")]),
    (&Edit, &[("live", "1")]),
    (&Edit, &[("document", "grammar"), ("edits", "0"), ("live", "0")]),
    (&Edit, &[("document", "atlas"), ("edits", "1000"), ("live", "0")]),
    (&Pool, &[("size", "4"), ("live", "3")]),
    (&Pool, &[("size", "1"), ("live", "1")]),
    (&Pool, &[("profile", "deep"), ("size", "2"), ("live", "1024")]),
];

fn tallies(workload: &dyn Workload, parameters: &[(&str, &str)], threads: &str, seed: u64) -> Vec<Tally> {
    let mut setup = Setup::new(workload.about(), seed);
    setup.set("threads", threads).unwrap();
    for (name, value) in parameters {
        setup.set(name, value).unwrap();
    }
    run_turns(workload, &setup, &[0, 1, 7, 0, 2]).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_tally_and_every_unit_is_done() {
    for (workload, parameters) in CASES {
        for threads in ["1", "2", "3", "8"] {
            let first = tallies(*workload, parameters, threads, 1);
            let counts: Vec<_> = first.iter().map(|tally| tally.count).collect();
            assert_eq!(counts, [0, 1, 7, 0, 2], "{} {parameters:?}", workload.about().name);
            let again = tallies(*workload, parameters, threads, 1);
            assert_eq!(first, again, "{} {parameters:?} with {threads} threads", workload.about().name);
        }
    }
}

#[test]
fn another_seed_gives_another_checksum() {
    for (workload, parameters) in CASES {
        let [one, two] = [1, 2].map(|seed| tallies(*workload, parameters, "2", seed));
        // One document without any edits is the same text whatever the seed.
        let is_fixed = parameters.contains(&("edits", "0"));
        assert_eq!(one[2] == two[2], is_fixed, "{} {parameters:?}", workload.about().name);
    }
}

#[test]
fn what_would_take_too_much_memory_is_refused() {
    let cases: &[Case] = &[
        (&LotOfObjects, &[("objects", "100000"), ("live", "256")]),
        (&Build, &[("size", "16384"), ("live", "1024")]),
        (&Build, &[("size", "16384"), ("profile", "deep")]),
        (&Parse, &[("live", "256"), ("threads", "8")]),
        (&Edit, &[("edits", "10000"), ("live", "256")]),
        (&Pool, &[("size", "16384"), ("live", "1024")]),
    ];
    for (workload, parameters) in cases {
        let mut setup = Setup::new(workload.about(), 1);
        setup.set("threads", "2").unwrap();
        for (name, value) in *parameters {
            setup.set(name, value).unwrap();
        }
        let error = run_turns(*workload, &setup, &[]).unwrap_err();
        assert!(error.contains("the limit is") && error.contains(workload.about().name), "{error}");
    }
}

/// The defaults must be accepted on any machine; the lanes themselves are not started.
#[test]
fn the_defaults_fit_any_number_of_threads() {
    for workload in [&LotOfObjects as &dyn Workload, &Build, &Parse, &Edit] {
        let mut setup = Setup::new(workload.about(), 1);
        setup.set("threads", "1024").unwrap();
        assert!(workload.prepare(&setup).is_ok(), "{}", workload.about().name);
    }
}

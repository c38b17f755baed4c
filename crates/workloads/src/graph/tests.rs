//! What holds for every workload of the family, from one table.

use heapmark_worker::{Setup, Tally, Values, Workload, run_turns};

/// A workload, and parameters that make it small enough for many runs.
struct Case {
    workload: &'static dyn Workload,
    small: &'static [(&'static str, &'static str)],
}

const CASES: &[Case] = &[
    Case { workload: &super::Tree, small: &[("nodes", "30"), ("depth", "8"), ("live", "20")] },
    Case { workload: &super::Dag, small: &[("nodes", "200"), ("layers", "4"), ("label", "20")] },
    Case { workload: &super::Records, small: &[("records", "100"), ("note", "128"), ("history", "8")] },
    Case { workload: &super::Handoff, small: &[("nodes", "8"), ("live", "20"), ("capacity", "4")] },
    Case { workload: &super::ForkJoin, small: &[("nodes", "60"), ("grain", "16"), ("live", "8")] },
    Case { workload: &super::Aged, small: &[("records", "600"), ("chain", "7"), ("rounds", "2")] },
];

type Settings<'a> = &'a [(&'a str, &'a str)];

fn run(case: &Case, seed: u64, settings: Settings<'_>, turns: &[u64]) -> Result<Vec<Tally>, String> {
    let mut setup = Setup::new(case.workload.about(), seed);
    for (name, value) in case.small.iter().chain(settings) {
        setup.set(name, value)?;
    }
    run_turns(case.workload, &setup, turns)
}

fn total(tallies: &[Tally]) -> Tally {
    tallies.iter().fold(Tally::default(), |sum, tally| sum.combined(*tally))
}

const UNITS: &[u64] = &[0, 1, 7, 1001];

#[test]
fn every_workload_of_the_family_is_in_the_table_and_in_the_catalogue() {
    let tested: Vec<_> = CASES.iter().map(|case| case.workload.about().name).collect();
    let listed: Vec<_> = crate::CATALOGUE.workloads.iter().map(|workload| workload.about().name).collect();
    let family: Vec<_> = listed.iter().filter(|name| name.starts_with("graph/")).copied().collect();
    assert_eq!(tested, family);
}

#[test]
fn the_same_seed_does_the_same_and_every_turn_is_whole() {
    for case in CASES {
        let name = case.workload.about().name;
        for threads in ["1", "2", "3", "8"] {
            let first = run(case, 5, &[("threads", threads)], UNITS).unwrap();
            let second = run(case, 5, &[("threads", threads)], UNITS).unwrap();
            assert_eq!(first, second, "{name} on {threads} threads");
            assert_eq!(first.iter().map(|tally| tally.count).collect::<Vec<_>>(), UNITS, "{name}");
            assert_eq!(first[0].checksum, 0, "{name} does nothing in an empty turn");
        }
    }
}

#[test]
fn another_seed_does_something_else() {
    for case in CASES {
        let sums: Vec<_> = (0..4).map(|seed| total(&run(case, seed, &[("threads", "2")], &[50]).unwrap())).collect();
        for (seed, sum) in sums.iter().enumerate() {
            assert!(!sums[..seed].contains(sum), "{}: {sums:?}", case.workload.about().name);
        }
    }
}

#[test]
fn turns_add_up_however_the_units_are_split() {
    for case in CASES {
        let name = case.workload.about().name;
        // With one thread the sequence of units is the same, and so is what comes of it.
        let whole = total(&run(case, 3, &[("threads", "1")], &[300]).unwrap());
        let split = total(&run(case, 3, &[("threads", "1")], &[1, 0, 99, 199, 1]).unwrap());
        assert_eq!(whole, split, "{name}");
        let three = total(&run(case, 3, &[("threads", "3")], &[1, 0, 99, 199, 1]).unwrap());
        assert_eq!(three.count, 300, "{name}");
    }
}

/// Each parameter at its least and greatest value, one at a time, the others small.
#[test]
fn bounds_of_parameters_work_or_are_refused_in_words() {
    for case in CASES {
        let about = case.workload.about();
        for parameter in about.parameters {
            let (min, max) = (parameter.values.min(), parameter.values.max());
            // The greatest sizes cost too much time for a test, even where memory would allow them.
            let bounds = match parameter.values {
                Values::Number { .. } if max > 10_000 => vec![min, 10_000],
                Values::Threads => vec![min, 64],
                _ => vec![min, max],
            };
            for value in bounds {
                let result = run(case, 1, &[("threads", "2"), (parameter.name, &value.to_string())], &[1, 5]);
                let tallies = result.unwrap_or_else(|error| panic!("{}={value}: {error}", parameter.name));
                assert_eq!(total(&tallies).count, 6, "{}: {}={value}", about.name, parameter.name);
            }
        }
    }
}

#[test]
fn everything_at_its_least_works() {
    for case in CASES {
        let about = case.workload.about();
        let least: Vec<_> = about.parameters.iter().map(|p| (p.name, p.values.min().to_string())).collect();
        let mut settings: Vec<_> = least.iter().map(|(name, value)| (*name, value.as_str())).collect();
        for threads in ["1", "3"] {
            settings.push(("threads", threads));
            let tallies = run(case, 1, &settings, UNITS).unwrap();
            assert_eq!(tallies.iter().map(|tally| tally.count).collect::<Vec<_>>(), UNITS, "{}", about.name);
        }
    }
}

#[test]
fn everything_at_its_greatest_is_refused_before_anything_is_made() {
    for case in CASES {
        let about = case.workload.about();
        let greatest: Vec<_> = about.parameters.iter().map(|p| (p.name, p.values.max().to_string())).collect();
        let mut settings: Vec<_> = greatest.iter().map(|(name, value)| (*name, value.as_str())).collect();
        // With the most threads a machine is assumed on which some of this would fit.
        settings.push(("threads", "2"));
        let error = run(case, 1, &settings, &[]).unwrap_err();
        assert!(error.contains(about.name) && error.contains("the limit is"), "{error}");
    }
}

#[test]
fn the_default_sizes_fit_any_number_of_threads() {
    for case in CASES {
        let mut setup = Setup::new(case.workload.about(), 1);
        setup.set("threads", "1024").unwrap();
        // Rayon has a limit of its own, and a thousand threads are started at once.
        if case.workload.about().name == "graph/fork-join" {
            setup.set("threads", "64").unwrap();
        }
        assert!(case.workload.prepare(&setup).is_ok(), "{}", case.workload.about().name);
    }
}

/// More lanes than units, queues of one, uneven shares: no lane may wait for what never comes.
#[test]
fn a_ring_of_any_size_hands_everything_over() {
    let handoff = CASES.iter().find(|case| case.workload.about().name == "graph/handoff").unwrap();
    for threads in [1, 2, 3, 5, 16, 64] {
        for capacity in ["1", "2", "64"] {
            let settings = [("threads", &*threads.to_string()), ("capacity", capacity)];
            let turns = [0, 1, threads, 2 * threads + 1, 3, 300];
            let tallies = run(handoff, 1, &settings, &turns).unwrap();
            assert_eq!(tallies.iter().map(|tally| tally.count).collect::<Vec<_>>(), turns);
        }
    }
}

/// The trees of the greatest depth are built, walked and dropped on a lane's thread.
#[test]
fn the_deepest_trees_fit_the_stack() {
    let tree = CASES.iter().find(|case| case.workload.about().name == "graph/tree").unwrap();
    let settings = [("depth", "1000"), ("nodes", "50000"), ("live", "2"), ("threads", "2")];
    assert_eq!(total(&run(tree, 1, &settings, &[6]).unwrap()).count, 6);
}

#[test]
fn descriptions_are_complete() {
    for case in CASES {
        let about = case.workload.about();
        assert!(about.details.len() > 200 && !about.details.contains("  "), "{}", about.name);
        assert!(!about.summary.is_empty() && !about.unit.is_empty());
        assert_eq!(about.parameters.iter().filter(|p| matches!(p.values, Values::Threads)).count(), 1);
    }
}

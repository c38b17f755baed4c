//! What holds for every workload of every family, from one table. The JSON family, whose greatest sizes cost too much here, has tests
//! of its own.

use std::collections::BTreeMap;

use heapmark_worker::{Parameter, Setup, Tally, Values, run_turns};

use crate::CATALOGUE;
use crate::small::{SMALL, Small};

type Settings<'a> = &'a [(&'a str, &'a str)];

/// What the tests below are about.
fn cases() -> impl Iterator<Item = &'static Small> {
    SMALL.iter().filter(|case| !case.name().starts_with("json/"))
}

/// The case of this workload.
fn case(name: &str) -> &'static Small {
    SMALL.iter().find(|case| case.name() == name).expect("the workload is in the table")
}

fn run(case: &Small, seed: u64, settings: Settings<'_>, turns: &[u64]) -> Result<Vec<Tally>, String> {
    run_turns(case.workload, &case.setup(seed, settings.iter().copied())?, turns)
}

/// The value of a parameter as it is given: the least, or a number that is allowed, or the words.
fn values(parameter: &Parameter, numbers: [u64; 2]) -> Vec<String> {
    match parameter.values {
        Values::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        _ => numbers.map(|number| number.to_string()).to_vec(),
    }
}

/// All parameters of a workload at once, each at the number that `bound` takes from its values, or at its default word.
fn all_at(case: &Small, bound: fn(&Values) -> u64) -> Vec<(&'static str, String)> {
    let parameters = case.workload.about().parameters.iter();
    parameters.map(|p| (p.name, values(p, [bound(&p.values); 2]).swap_remove(0))).collect()
}

fn total(tallies: &[Tally]) -> Tally {
    tallies.iter().fold(Tally::default(), |sum, tally| sum.combined(*tally))
}

const UNITS: &[u64] = &[0, 1, 7, 1001];

#[test]
fn every_workload_is_in_the_table_and_in_the_catalogue() {
    let tested: Vec<_> = SMALL.iter().map(Small::name).collect();
    let listed: Vec<_> = CATALOGUE.workloads.iter().map(|workload| workload.about().name).collect();
    assert_eq!(tested, listed);
}

#[test]
fn sets_are_what_they_are_called() {
    let listed: Vec<_> = CATALOGUE.workloads.iter().map(|workload| workload.about().name).collect();
    let sets: BTreeMap<_, _> = CATALOGUE.sets.iter().map(|set| (set.name, set.workloads)).collect();
    assert_eq!(sets.len(), CATALOGUE.sets.len(), "no two sets have one name");
    for set in CATALOGUE.sets {
        assert!(set.workloads.iter().all(|name| listed.contains(name)), "{}", set.name);
        let mut names = set.workloads.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), set.workloads.len(), "{} names none twice", set.name);
    }
    assert_eq!(sets["all"], listed);
    let families: Vec<_> = listed.iter().filter_map(|name| name.split_once('/')).map(|(family, _)| family).collect();
    for family in families {
        let theirs: Vec<_> = listed.iter().filter(|name| name.split('/').next() == Some(family)).copied().collect();
        assert_eq!(sets[family], theirs, "a family is a set");
    }
}

#[test]
fn the_same_seed_does_the_same_and_every_turn_is_whole() {
    for case in cases() {
        let name = case.name();
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
    for case in cases() {
        let sums: Vec<_> = (0..4).map(|seed| total(&run(case, seed, &[("threads", "2")], &[50]).unwrap())).collect();
        for (seed, sum) in sums.iter().enumerate() {
            assert!(!sums[..seed].contains(sum), "{}: {sums:?}", case.workload.about().name);
        }
    }
}

#[test]
fn turns_add_up_however_the_units_are_split() {
    for case in cases() {
        let name = case.name();
        // With one thread the sequence of units is the same, and so is what comes of it.
        let whole = total(&run(case, 3, &[("threads", "1")], &[300]).unwrap());
        let split = total(&run(case, 3, &[("threads", "1")], &[1, 0, 99, 199, 1]).unwrap());
        assert_eq!(whole, split, "{name}");
        let three = total(&run(case, 3, &[("threads", "3")], &[1, 0, 99, 199, 1]).unwrap());
        assert_eq!(three.count, 300, "{name}");
    }
}

/// Each parameter at its least and greatest value, or at each word, one at a time, the others small.
#[test]
fn bounds_of_parameters_work_or_are_refused_in_words() {
    for case in cases() {
        for parameter in case.workload.about().parameters {
            // The greatest sizes cost too much time for a test, even where memory would allow them.
            let most = if parameter.name == "threads" { 64 } else { 10_000 };
            for value in values(parameter, [parameter.values.min(), parameter.values.max().min(most)]) {
                let setting = format!("{}: {}={value}", case.name(), parameter.name);
                match run(case, 1, &[("threads", "2"), (parameter.name, &value)], &[1, 5]) {
                    Ok(tallies) => assert_eq!(total(&tallies).count, 6, "{setting}"),
                    Err(error) => assert!(error.contains("is more than max_size="), "{setting}: {error}"),
                }
            }
        }
    }
}

#[test]
fn everything_at_its_least_works() {
    for case in cases() {
        let least = all_at(case, Values::min);
        let mut settings: Vec<_> = least.iter().map(|(name, value)| (*name, value.as_str())).collect();
        for threads in ["1", "3"] {
            settings.push(("threads", threads));
            let tallies = run(case, 1, &settings, UNITS).unwrap();
            assert_eq!(tallies.iter().map(|tally| tally.count).collect::<Vec<_>>(), UNITS, "{}", case.name());
        }
    }
}

/// Workloads that keep so little alive that even their greatest sizes fit.
const ALWAYS_FIT: [&str; 2] = ["classic/cache-scratch", "classic/cache-thrash"];

#[test]
fn everything_at_its_greatest_is_refused_before_anything_is_made() {
    for case in cases() {
        let greatest = all_at(case, Values::max);
        let mut settings: Vec<_> = greatest.iter().map(|(name, value)| (*name, value.as_str())).collect();
        // With the most threads a machine is assumed on which some of this would fit.
        settings.push(("threads", "2"));
        match run(case, 1, &settings, &[]) {
            Ok(_) => assert!(ALWAYS_FIT.contains(&case.name()), "{} takes everything", case.name()),
            Err(error) => assert!(error.contains(case.name()) && error.contains("the limit is"), "{error}"),
        }
    }
}

/// What an allocator might do wrong would be seen, and what it does right changes nothing: touching more of the blocks
/// adds to what is checked, so the workloads must come out the same in each run.
#[test]
fn every_touch_and_every_shape_of_sizes_is_deterministic() {
    let is_of_blocks = |case: &&Small| ["classic/", "memory/"].iter().any(|family| case.name().starts_with(family));
    for case in cases().filter(is_of_blocks) {
        for parameter in case.workload.about().parameters {
            let Values::Choice(words) = parameter.values else { continue };
            for word in words {
                let settings = [("threads", "3"), (parameter.name, *word)];
                let first = run(case, 2, &settings, &[3, 100]).unwrap();
                assert_eq!(first, run(case, 2, &settings, &[3, 100]).unwrap(), "{}: {word}", case.name());
                assert_ne!(first[1].checksum, 0, "{}: {word}", case.name());
            }
        }
    }
}

#[test]
fn the_default_sizes_fit_any_number_of_threads() {
    for case in cases() {
        let mut setup = Setup::new(case.workload.about(), 1);
        setup.set("threads", "1024").unwrap();
        // Rayon has a limit of its own, and a thousand threads are started at once.
        if case.name() == "graph/fork-join" {
            setup.set("threads", "64").unwrap();
        }
        if let Err(error) = case.workload.prepare(&setup) {
            panic!("{error}");
        }
    }
}

/// More lanes than units, queues of one, uneven shares: no lane may wait for what never comes.
#[test]
fn bounded_queues_of_any_size_hand_everything_over() {
    for (workload, bound) in [
        ("graph/handoff", "capacity"),
        ("classic/xmalloc", "waiting"),
        ("classic/message-passing", "outstanding"),
        ("classic/sh8", "live"),
        ("memory/free-only", "capacity"),
    ] {
        for threads in [1, 2, 3, 5, 16, 64] {
            for least in ["1", "2", "64"] {
                let settings = [("threads", &*threads.to_string()), (bound, least)];
                let turns = [0, 1, threads, 2 * threads + 1, 3, 300];
                let tallies = run(case(workload), 1, &settings, &turns).unwrap();
                assert_eq!(tallies.iter().map(|tally| tally.count).collect::<Vec<_>>(), turns, "{workload}");
            }
        }
    }
}

/// A share of blocks that other threads free changes who frees them, and nothing else.
#[test]
fn what_crosses_between_threads_is_freed_all_the_same() {
    for name in ["classic/alloc-test", "classic/glibc-thread", "classic/sh8"] {
        for threads in ["1", "2", "5"] {
            let of = |percent| {
                let settings = [("threads", threads), ("cross_thread", percent)];
                total(&run(case(name), 1, &settings, &[1, 0, 500, 3]).unwrap())
            };
            assert!(["1", "50", "100"].iter().all(|percent| of(percent) == of("0")), "{name} on {threads} threads");
        }
    }
}

/// Generations of threads change who works, and nothing of what is done.
#[test]
fn successors_do_what_the_first_thread_would_have_done() {
    let of = |generation| total(&run(case("classic/larson"), 1, &[("generation", generation)], &[1, 0, 500]).unwrap());
    assert!(["1", "7", "1000"].iter().all(|generation| of(generation) == of("0")));
}

/// Memory over time is what the family is about, and nobody else's samples wait for it.
#[test]
fn the_memory_family_alone_is_followed_through_quiet_times() {
    for case in cases() {
        let moments = case.workload.settle_ms();
        assert_eq!(moments.is_empty(), !case.name().starts_with("memory/"), "{}", case.name());
        assert!(moments.len() <= 8 && moments.is_sorted() && !moments.contains(&0), "{}", case.name());
    }
}

/// The trees of the greatest depth are built, walked and dropped on a lane's thread.
#[test]
fn the_deepest_trees_fit_the_stack() {
    let settings = [("depth", "1000"), ("nodes", "50000"), ("live", "2"), ("threads", "2")];
    assert_eq!(total(&run(case("graph/tree"), 1, &settings, &[6]).unwrap()).count, 6);
}

#[test]
fn descriptions_are_complete() {
    for case in cases() {
        let about = case.workload.about();
        assert!(about.details.len() > 200 && !about.details.contains("  "), "{}", about.name);
        assert!(!about.summary.is_empty() && !about.unit.is_empty());
        // So that a number of threads can be asked of all of them at once.
        assert_eq!(about.parameters.iter().filter(|p| p.name == "threads").count(), 1, "{}", about.name);
    }
}

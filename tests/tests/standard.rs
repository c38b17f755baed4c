//! The standard workers on the standard workloads: built as a user builds them, and all of one mind.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use heapmark::record::{Kind, Record, Role};
use heapmark::stats::Trend;
use heapmark::{Arrangement, Case, Comparison, Contender, ContenderName, Nanos, Settings, Stop, Worker, Workspace};

/// Who is not there to be compared as it is.
const NOT_COMPARED: [&str; 2] = ["counting", "handicap"];

fn workspace() -> Workspace {
    Workspace::find().expect("the tests lie in the workspace")
}

/// The standard workers by name, built once.
fn workers() -> &'static BTreeMap<String, Worker> {
    static WORKERS: OnceLock<BTreeMap<String, Worker>> = OnceLock::new();
    WORKERS.get_or_init(|| {
        let workers = workspace().build(|_| true).expect("Cargo runs");
        workers.into_iter().map(|worker| (worker.name.clone(), worker)).collect()
    })
}

/// Every backend of the workspace that is there to be compared, the system allocator first, those that have to be named
/// included.
fn contenders() -> Vec<Worker> {
    let others = workers().keys().filter(|name| *name != "system" && !NOT_COMPARED.contains(&name.as_str()));
    std::iter::once("system").chain(others.map(String::as_str)).map(worker).collect()
}

fn worker(name: &str) -> Worker {
    let worker = workers().get(name).unwrap_or_else(|| panic!("{name} is not among {:?}", workers().keys())).clone();
    assert!(worker.program.is_ok(), "{name} was not built: {:?}", worker.program);
    worker
}

/// A run of all workloads with all contenders, made once.
fn record() -> &'static Record {
    static RECORD: OnceLock<Record> = OnceLock::new();
    RECORD.get_or_init(|| {
        let comparison = Comparison::of(contenders()).counting(worker("counting"));
        let mut session = comparison.settings(Settings::smoke()).open(&mut |_| {}).expect("they introduce themselves");
        let names: Vec<_> = session.catalogue().workloads.iter().map(|workload| workload.name.clone()).collect();
        for name in names {
            session.measure(&Case::new(name), &mut |_| {}).expect("the case makes sense");
        }
        session.finish().expect("nothing is written");
        session.record().clone()
    })
}

#[test]
fn every_workload_has_the_same_result_under_every_allocator() {
    let record = record();
    assert!(record.cases.len() >= 11, "{} workloads", record.cases.len());
    for row in &record.cases {
        let samples: Vec<_> = record.samples_of(&row.case).collect();
        // A difference in count or checksum is a status of its own.
        for sample in &samples {
            assert!(sample.status.is_ok(), "{} in {}: {}", sample.contender, row.case, sample.status);
            assert_eq!(sample.units % row.turn_units, 0, "{} in {}", sample.contender, row.case);
        }
        let settings = Settings::smoke();
        for (arrangement, turns_taken) in [(Arrangement::Turns, row.turns), (Arrangement::Alone, settings.turns_alone)]
        {
            let ours: Vec<_> = samples.iter().filter(|sample| sample.arrangement == arrangement).collect();
            assert_eq!(ours.len(), contenders().len() + 1, "{} {arrangement:?}", row.case);
            for sample in &ours {
                let (turns, theirs) = (&sample.turns.checksum, &ours[0].turns.checksum);
                assert_eq!(turns.len(), turns_taken as usize, "{} in {}", sample.contender, row.case);
                assert_eq!((sample.units, sample.checksum, turns), (ours[0].units, ours[0].checksum, theirs));
            }
        }
    }
}

#[test]
fn the_counting_worker_counts_every_workload_and_nothing_in_the_quiet_ones() {
    let record = record();
    assert_eq!(record.counts.len(), record.cases.len());
    for counts in &record.counts {
        let case = &counts.case;
        assert!(counts.status.is_ok(), "{case}: {}", counts.status);
        let alone = record.samples_of(case).find(|sample| sample.arrangement == Arrangement::Alone);
        assert_eq!(Some(counts.units), alone.map(|sample| sample.units), "{case}");
        if case.workload == "graph/aged" || case.is_control() {
            assert_eq!((counts.calls, counts.requested.0), (0, 0), "{case} must not allocate");
        } else {
            assert!(counts.calls > 0 && counts.requested.0 > 0, "{case}: {counts:?}");
        }
        assert!(counts.peak_live.is_some_and(|bytes| bytes.0 > 0), "{case}: {counts:?}");
    }
}

#[test]
fn a_handicap_does_the_work_and_needs_more_for_it() {
    let resolve = |name: &str| {
        let name = ContenderName::parse(name).expect("it is a name");
        Contender::resolve(&name, &[worker("system"), worker("handicap")]).expect("it is one of the two")
    };
    let names = ["system", "handicap@slowdown_pct:12.5", "handicap@rss_pct:100"];
    let comparison = Comparison::new(names.map(resolve)).settings(Settings::smoke());
    let mut session = comparison.open(&mut |_| {}).expect("they introduce themselves");
    let case = Case::new("graph/records");
    session.measure(&case, &mut |_| {}).expect("the case makes sense");
    let record = session.record();
    for row in &record.contenders {
        let kind = if row.backend == "handicap" { Kind::Handicap } else { Kind::Allocator };
        let identity = row.identity.as_ref().unwrap_or_else(|| panic!("{}: {}", row.name, row.status));
        assert_eq!((identity.kind, identity.proof.as_str()), (kind, "api"), "{}", row.name);
        assert!(identity.knobs.values().all(|knob| knob.confirmed || kind == Kind::Allocator), "{}", row.name);
    }
    for sample in record.samples_of(&case) {
        assert!(sample.status.is_ok(), "{}: {}", sample.contender, sample.status);
    }
    let peak = |name: &str| {
        let sample = record.samples_of(&case).find(|s| s.contender == name && s.arrangement == Arrangement::Alone);
        sample.and_then(|sample| sample.peak_rss).map(|bytes| bytes.0 as f64).expect("the kernel tells")
    };
    let (system, heavy) = (peak("system"), peak("handicap@rss_pct:100"));
    assert!((1.7..2.3).contains(&(heavy / system)), "twice {system} is not {heavy}");
    let checksum = |name: &str| record.samples_of(&case).find(|s| s.contender == name).map(|s| s.checksum);
    assert_eq!(checksum("system"), checksum("handicap@rss_pct:100"), "nothing is done again for memory");
    assert_ne!(
        checksum("system"),
        checksum("handicap@slowdown_pct:12.5"),
        "units that are done again draw random numbers"
    );
}

/// A leak on purpose is found, and only where it is. Everything is small, and the turns are of one unit for each thread.
#[test]
fn a_leak_is_growth_and_nothing_else_is() {
    let resolve = |name: &str| {
        let name = ContenderName::parse(name).expect("it is a name");
        Contender::resolve(&name, &[worker("system"), worker("handicap")]).expect("it is one of the two")
    };
    let leaky = "handicap@leak_bytes_per_unit:100000";
    let settings = Settings {
        stop: Stop::Blocks(6),
        arrangements: vec![Arrangement::Alone],
        turn: Nanos(1),
        twin: false,
        turns_over_time: 60,
        settle_after_ms: Some(vec![20]),
        ..Settings::smoke()
    };
    let comparison = Comparison::new(["system", leaky].map(resolve)).counting(worker("counting")).settings(settings);
    let mut session = comparison.open(&mut |_| {}).expect("they introduce themselves");
    let case = Case::new("memory/queue-drain").with("messages", 4000).with("threads", 1);
    let outcome = session.measure(&case, &mut |_| {}).expect("the case makes sense");
    let over_time = |name: &str| {
        let contender = outcome.contender(name).expect("it took part");
        assert!(contender.status.is_ok(), "{name}: {}", contender.status);
        contender.over_time.clone().expect("the case is about memory over time")
    };
    let (system, leaky) = (over_time("system"), over_time(leaky));
    let trend = |memory: &heapmark::OverTime| memory.slope.map(|slope| slope.trend);
    assert_eq!(trend(&leaky), Some(Trend::Growing), "{leaky:?}");
    assert!(matches!(trend(&system), Some(Trend::Flat | Trend::Plateau)), "{system:?}");
    // 61 turns of 100,000 bytes, of which nothing comes back.
    let settled = |memory: &heapmark::OverTime| memory.settled.last().expect("a quiet time").rss.0;
    assert!(settled(&leaky) - settled(&system) > 5_000_000, "{leaky:?} {system:?}");
    assert!(leaky.retained > system.retained);
}

#[test]
fn a_loss_that_makes_no_sense_does_not_take() {
    let knob = |value: &str| {
        let knobs = vec![("slowdown_pct".to_owned(), value.to_owned())];
        Contender { name: value.into(), worker: worker("handicap"), knobs }
    };
    let contenders = [Contender::plain(worker("system")), knob("101"), knob("-1"), knob("much"), knob("2.55")];
    let session = Comparison::new(contenders).settings(Settings::smoke()).open(&mut |_| {}).expect("system is sound");
    for row in session.record().contenders.iter().filter(|row| row.backend == "handicap") {
        assert_eq!(row.status.label(), "knob did not take", "{}: {}", row.name, row.status);
    }
}

#[test]
fn every_contender_says_truly_who_it_is() {
    let locked = locked_versions();
    let record = record();
    assert_eq!(record.contenders.len(), contenders().len() + 1);
    for row in &record.contenders {
        assert!(row.status.is_ok(), "{}: {}", row.name, row.status);
        let identity = row.identity.as_ref().expect("who is ok has introduced itself");
        assert!(["api", "symbol", "linked"].contains(&identity.proof.as_str()), "{}: {}", row.name, identity.proof);
        assert!(!identity.upstream_version.is_empty() && !identity.build.is_empty(), "{}", row.name);
        if row.backend == "system" {
            assert_eq!(identity.crate_name, "", "it comes from the C library");
        } else {
            let versions = locked.get(&identity.crate_name).cloned().unwrap_or_default();
            assert_eq!(versions.join(" and "), identity.crate_version, "{} in Cargo.lock", identity.crate_name);
        }
    }
    assert_eq!(record.contenders.iter().filter(|row| row.role == Role::Twin).count(), 1);
}

/// The versions of each package in the lockfile.
fn locked_versions() -> BTreeMap<String, Vec<String>> {
    let path: PathBuf = workspace().root().join("Cargo.lock");
    let text = std::fs::read_to_string(path).expect("the workspace has a lockfile");
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in text.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(key));
            line.and_then(|line| line.strip_prefix(" = ")).map(|value| value.trim_matches('"').to_owned())
        };
        if let (Some(name), Some(version)) = (value("name"), value("version")) {
            versions.entry(name).or_default().push(version);
        }
    }
    versions
}

#[test]
fn a_debug_build_among_release_builds_is_refused() {
    let debug = Worker::at("debug", env!("CARGO_BIN_EXE_heapmark-faulty-debug-library"));
    let comparison = Comparison::of([worker("system"), debug]).settings(Settings::smoke());
    let outcome = comparison.run(&[Case::new("graph/tree")]).expect("the reference is sound");
    let outcome = outcome.case("graph/tree").expect("the case was measured");
    let label = |name: &str| outcome.contender(name).expect("the row is there").status.label();
    assert_eq!((label("system"), label("debug")), ("ok".into(), "debug build".into()));
}

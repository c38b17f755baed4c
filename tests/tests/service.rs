//! The workloads with an HTTP server in them: built as a user builds them, with the generator beside them.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use heapmark::record::{Record, Sample};
use heapmark::stats::Trend;
use heapmark::{
    Arrangement, Case, Comparison, Contender, ContenderName, Limits, Nanos, OverTime, Session, Settings, Status, Stop,
    Worker, Workspace,
};

/// Who has to have the same result.
const COMPARED: [&str; 4] = ["system", "mimalloc", "jemalloc", "snmalloc"];

/// The workers of the family by name, built once.
fn worker(name: &str) -> Worker {
    static WORKERS: OnceLock<BTreeMap<String, Worker>> = OnceLock::new();
    let workers = WORKERS.get_or_init(|| {
        let workspace = Workspace::find().expect("the tests lie in the workspace");
        assert_eq!(workspace.families().expect("cargo metadata tells them"), ["service"]);
        let workers = workspace.build_family("service", |_| true).expect("Cargo runs");
        workers.into_iter().map(|worker| (worker.name.clone(), worker)).collect()
    });
    let worker = workers.get(name).unwrap_or_else(|| panic!("{name} is not among {:?}", workers.keys())).clone();
    assert!(worker.program.is_ok(), "{name} was not built: {:?}", worker.program);
    worker
}

fn program(name: &str) -> PathBuf {
    worker(name).program.expect("it was built")
}

fn contender(name: &str) -> Contender {
    let name = ContenderName::parse(name).expect("it is a name");
    Contender::resolve(&name, &[worker(&name.backend)]).expect("it is that one")
}

fn session(contenders: impl IntoIterator<Item = Contender>, settings: Settings) -> Session {
    Comparison::new(contenders).settings(settings).open(&mut |_| {}).expect("they introduce themselves")
}

/// Without the twin, whose sample says nothing more here.
fn smoke() -> Settings {
    Settings { twin: false, ..Settings::smoke() }
}

/// Samples that run undisturbed only.
fn alone() -> Settings {
    Settings { arrangements: vec![Arrangement::Alone], ..smoke() }
}

fn samples<'a>(record: &'a Record, case: &'a Case) -> Vec<&'a Sample> {
    record.samples_of(case).collect()
}

/// How the only contender came off in a case.
fn status_of(worker: Worker, case: &Case) -> Status {
    let mut session = session([Contender::plain(worker)], alone());
    session.measure(case, &mut |_| {}).expect("the case makes sense");
    let statuses: Vec<Status> = session.record().samples_of(case).map(|sample| sample.status.clone()).collect();
    statuses.into_iter().next().expect("there is a row")
}

#[test]
fn every_workload_has_the_same_result_on_every_stack_and_under_every_allocator() {
    let mut session = session(COMPARED.map(contender), smoke());
    let catalogue = session.catalogue().clone();
    assert!(catalogue.workloads.len() >= 6);
    let mut by_workload: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for workload in &catalogue.workloads {
        for stack in ["hyper", "axum", "actix", "tiny_http"] {
            let case = Case::new(&workload.name).with("stack", stack).with("connections", 3).with("turn_requests", 7);
            session.measure(&case, &mut |_| {}).expect("the case makes sense");
            let record = session.record();
            let row = record.cases.iter().find(|row| row.case == case).expect("somebody could do it");
            let samples = samples(record, &case);
            assert_eq!(samples.len(), 2 * COMPARED.len(), "{case}");
            for sample in samples {
                // A difference in count or checksum is a status of its own.
                assert!(sample.status.is_ok(), "{} in {case}: {}", sample.contender, sample.status);
                assert!(row.turn_units >= 7 && sample.units % row.turn_units == 0, "{case}");
                let checksum = sample.turns.checksum[0];
                assert_eq!(checksum % row.turn_units, 0, "{case}: all bodies have the same checksum");
                by_workload.entry(workload.name.clone()).or_default().push(checksum / row.turn_units);
            }
        }
    }
    for (workload, of_one_body) in by_workload {
        assert!(of_one_body.iter().all(|sum| *sum == of_one_body[0]), "{workload} differs from stack to stack");
    }
}

#[test]
fn connections_can_be_for_one_request_and_requests_can_be_due() {
    let mut session = session(["system"].map(contender), alone());
    for case in [
        Case::new("service/hello").with("keep_alive", "no").with("connections", 2),
        Case::new("service/hello").with("rate", 20_000).with("connections", 4),
    ] {
        session.measure(&case, &mut |_| {}).expect("the case makes sense");
        for sample in samples(session.record(), &case) {
            assert!(sample.status.is_ok(), "{case}: {}", sample.status);
            assert!(sample.units > 0, "{case}");
        }
    }
}

#[test]
fn three_thousand_nine_hundred_connections_are_served() {
    let mut session = session(["system"].map(contender), alone());
    let case = Case::new("service/rpc").with("connections", 3900);
    session.measure(&case, &mut |_| {}).expect("the case makes sense");
    for sample in samples(session.record(), &case) {
        assert!(sample.status.is_ok(), "{}", sample.status);
    }
}

/// A program in a folder that starts the worker of `system` after these commands of the shell.
fn after(folder: &Path, commands: &str) -> Worker {
    let script = folder.join("worker");
    let text = format!("#!/bin/sh\n{commands}\nexec '{}'\n", program("system").display());
    std::fs::write(&script, text).expect("the folder can be written to");
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).expect("it is ours");
    Worker::at("system", script)
}

#[test]
fn too_few_descriptors_are_told_before_anything_is_connected() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let limited = after(folder.path(), "ulimit -n 300");
    match status_of(limited.clone(), &Case::new("service/hello").with("connections", 3900)) {
        Status::Refused { detail } => {
            assert!(detail.contains("service/hello: connections=3900") && detail.contains("ulimit -Hn"), "{detail}");
        }
        other => panic!("{other}"),
    }
    let status = status_of(limited, &Case::new("service/hello").with("connections", 20));
    assert!(status.is_ok(), "{status}");
}

#[test]
fn a_worker_without_a_generator_says_so() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let lonely = folder.path().join("heapmark-service-system");
    std::fs::copy(program("system"), &lonely).expect("the folder can be written to");
    match status_of(Worker::at("system", lonely), &Case::new("service/hello")) {
        Status::Refused { detail } => {
            assert!(detail.contains("service/hello: there is no load generator: heapmark-load"), "{detail}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn more_cores_than_there_are_for_a_server_are_refused() {
    match status_of(worker("system"), &Case::new("service/hello").with("server_cores", 1023)) {
        Status::Refused { detail } => assert!(detail.contains("leaves none of"), "{detail}"),
        other => panic!("{other}"),
    }
}

#[test]
fn a_server_that_crashes_is_a_status_with_the_moment_of_its_death() {
    let case = Case::new("service/hello").with("turn_requests", 500).with("connections", 5);
    let mut session = session(["system", "handicap@crash_after:1200"].map(contender), alone());
    session.measure(&case, &mut |_| {}).expect("the case makes sense");
    for sample in samples(session.record(), &case) {
        match (&*sample.contender, &sample.status) {
            ("system", Status::Ok) => {}
            ("handicap@crash_after:1200", Status::Signal { signal: 6, detail }) => {
                assert!(detail.contains("after 2 turns"), "{detail}");
            }
            (who, status) => panic!("{who}: {status}"),
        }
    }
}

#[test]
fn a_server_that_hangs_is_a_status_too() {
    let case = Case::new("service/hello").with("turn_requests", 500).with("connections", 5);
    // A client would wait ten seconds for each request that it makes in vain.
    let limits = Limits { turn: Duration::from_secs(5), ..Limits::default() };
    let mut session = session(["system", "handicap@hang_after:1200"].map(contender), Settings { limits, ..alone() });
    session.measure(&case, &mut |_| {}).expect("the case makes sense");
    for sample in samples(session.record(), &case) {
        match (&*sample.contender, &sample.status) {
            ("system", Status::Ok) => {}
            ("handicap@hang_after:1200", Status::Timeout { detail }) => {
                assert!(detail.contains("after 2 turns"), "{detail}");
            }
            (who, status) => panic!("{who}: {status}"),
        }
    }
}

#[test]
fn a_server_that_leaks_grows_and_no_other_does() {
    let leaky = "handicap@leak_bytes_per_request:20000";
    let settings = Settings {
        stop: Stop::Blocks(6),
        turn: Nanos(1),
        turns_over_time: 60,
        settle_after_ms: Some(vec![20]),
        ..alone()
    };
    let mut session = session(["system", leaky].map(contender), settings);
    let case = Case::new("service/rpc-soak").with("connections", 4).with("turn_requests", 10).with("threads", 1);
    let outcome = session.measure(&case, &mut |_| {}).expect("the case makes sense");
    let over_time = |name: &str| -> OverTime {
        let contender = outcome.contender(name).expect("it took part");
        assert!(contender.status.is_ok(), "{name}: {}", contender.status);
        contender.over_time.clone().expect("the case is about memory over time")
    };
    let (system, leaky) = (over_time("system"), over_time(leaky));
    let trend = |memory: &OverTime| memory.slope.map(|slope| slope.trend);
    assert_eq!(trend(&leaky), Some(Trend::Growing), "{leaky:?}");
    assert!(matches!(trend(&system), Some(Trend::Flat | Trend::Plateau)), "{system:?}");
}

/// A server that answers nobody for 200 ms once a second: whoever asks at a rate waits with all that was due meanwhile, and whoever
/// waits for each answer hardly asks in that time.
#[test]
fn a_stalled_server_shows_where_requests_are_due_and_hides_where_clients_wait() {
    const STALL: u64 = 200_000_000;
    let settings = Settings { turns_alone: 1, ..alone() };
    let mut session = session(["handicap@stall_ms:200"].map(contender), settings);
    let base = Case::new("service/hello").with("connections", 10);
    let closed = base.clone().with("turn_requests", 20_000);
    let open = base.with("turn_requests", 4_000).with("rate", 1_000);
    let mut latency = |case: &Case| {
        session.measure(case, &mut |_| {}).expect("the case makes sense");
        let sample = samples(session.record(), case)[0];
        assert!(sample.status.is_ok(), "{case}: {}", sample.status);
        sample.latency.expect("a service says what its requests came to")
    };
    let (closed, open) = (latency(&closed), latency(&open));
    assert!(open.max_ns >= STALL / 2, "{open:?}");
    // Of 4,000 requests that are due in four seconds, hundreds are due in stalls and wait 100 ms on average.
    assert!(open.p99_ns > STALL / 4, "{open:?}");
    assert!(closed.p99_ns < open.p99_ns, "{closed:?} {open:?}");
}

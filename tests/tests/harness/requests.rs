//! What a workload says of its requests is in the record, and in nothing else.

use heapmark::record::{Record, RecordFile, Sample};
use heapmark::{Arrangement, Case, Comparison, Outcome, Status};

use crate::scene::{Scene, program, settings};
use crate::schema::Schema;

/// A run of this case with two contenders, and its record as it is on the disk.
fn run(scene: &Scene, case: &Case) -> (Record, String) {
    let path = scene.folder().join("run.jsonl");
    let file = RecordFile::create(&path, true).expect("a file in a folder of our own");
    let workers = ["system", "other"].map(|name| scene.worker(name, program!("sound")));
    let comparison = Comparison::of(workers).settings(settings()).record(file);
    let mut session = comparison.open(&mut |_| {}).expect("the workers are sound");
    session.measure(case, &mut |_| {}).expect("the case makes sense");
    session.finish().expect("there is room on the disk");
    let text = std::fs::read_to_string(&path).expect("it was just written");
    assert_eq!(Record::read(&path).expect("it was just written"), *session.record());
    (session.record().clone(), text)
}

#[test]
fn requests_of_all_turns_but_the_first_are_told() {
    let scene = Scene::new();
    let (record, text) = run(&scene, &Case::new("test/requests").with("connections", 13));
    for arrangement in [Arrangement::Turns, Arrangement::Alone] {
        let samples: Vec<&Sample> = record.samples.iter().filter(|s| s.arrangement == arrangement).collect();
        assert_eq!(samples.len(), 3 * 2, "three workers, two blocks");
        for sample in samples {
            assert!(sample.status.is_ok(), "{}", sample.status);
            let latency = sample.latency.expect("it serves requests");
            assert_eq!(latency.count, sample.units, "those of the timed turns");
            assert_eq!((latency.connections, latency.p999_ns, latency.received_bytes), (13, 999, 10 * latency.count));
            assert_eq!((latency.errors.body, latency.errors.total(), latency.user_ns), (1, 1, Some(7)));
            assert!(latency.open_loop && latency.system_ns.is_none());
        }
    }
    let schema = Schema::read();
    for line in text.lines() {
        schema.check(line).unwrap_or_else(|why| panic!("{why}, in {line}"));
    }
    let outcome = Outcome::of(&record);
    let case = &outcome.cases[0];
    assert!(case.is_served() && case.latency_decides(), "an open loop");
    let served = case.contender("other").and_then(|contender| contender.served.as_ref()).expect("it serves requests");
    assert_eq!(served.latency.p99.map(|level| level.value), Some(99.0));
    scene.assert_nothing_runs(1);
}

#[test]
fn a_workload_that_says_nothing_has_none() {
    let scene = Scene::new();
    let (record, text) = run(&scene, &Case::new("test/requests").with("says", "nothing"));
    assert!(record.samples.iter().all(|sample| sample.status.is_ok() && sample.latency.is_none()));
    assert!(!text.contains("latency"), "older readers find what they know");
    assert!(!Outcome::of(&record).cases[0].is_served());
    scene.assert_nothing_runs(1);
}

#[test]
fn what_cannot_be_had_is_a_failure_with_its_reason() {
    let scene = Scene::new();
    let workers = [scene.worker("system", program!("sound"))];
    let case = Case::new("test/requests").with("says", "failure");
    let outcome = Comparison::of(workers).settings(settings()).run(&[case]).expect("a failure is a row");
    let status = &outcome.cases[0].contenders[0].status;
    assert!(
        matches!(status, Status::Refused { detail } if detail.contains("whoever makes the requests is gone")),
        "{status}"
    );
    scene.assert_nothing_runs(1);
}

//! A limit on the memory of a worker: whoever gets beyond it is a row, whenever that is seen.

use heapmark::{Bytes, Case, Comparison, Settings, Status};

use crate::scene::{Scene, program, settings};

/// What becomes of a program whose peak may be so many MiB.
fn status(program: &str, mib: u64) -> Status {
    let scene = Scene::new();
    let settings = Settings { memory_limit: Some(Bytes(mib << 20)), twin: false, ..settings() };
    let comparison = Comparison::of([scene.worker("it", program)]).settings(settings);
    let mut session = comparison.open(&mut |_| {}).expect("it introduces itself");
    let outcome = session.measure(&Case::new("test/boxes"), &mut |_| {}).expect("a hit is no failure of the run");
    session.finish().expect("nothing is written");
    scene.assert_nothing_runs(2);
    outcome.contender("it").expect("it has a row").status.clone()
}

#[test]
fn a_reading_after_a_turn_is_enough() {
    let status = status(program!("lagging-peak"), 40);
    let detail = "working: 50.0 MiB resident, where 40.0 MiB are allowed; in its first turn".to_owned();
    assert_eq!(status, Status::CeilingHit { detail });
}

#[test]
fn a_peak_between_the_readings_is_seen_at_the_end() {
    let hit = status(program!("late-peak"), 100);
    let detail = "dropping everything: 300 MiB resident, where 100 MiB are allowed".to_owned();
    assert_eq!(hit, Status::CeilingHit { detail });
    assert!(status(program!("late-peak"), 300).is_ok(), "as much as is allowed is allowed");
}

/// A program of a MiB is beyond a limit of a few bytes before it has said a word of it.
#[test]
fn who_says_nothing_is_watched() {
    let scene = Scene::new();
    let settings = Settings { memory_limit: Some(Bytes(4096)), ..settings() };
    let error = Comparison::of([scene.worker("it", program!("faulty-says-nothing"))]).settings(settings);
    let error = error.open(&mut |_| {}).expect_err("nobody is left").to_string();
    assert!(error.contains("it: ceiling hit: starting: ") && error.contains("where 4.00 KiB are allowed"), "{error}");
    scene.assert_nothing_runs(1);
}

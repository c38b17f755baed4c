//! The worker that counts: whatever becomes of it stands in the record, and the contenders are measured all the same.

use heapmark::record::Record;
use heapmark::{Case, Comparison, Error};

use crate::scene::{Scene, program, settings};

fn run(scene: &Scene, counting: &str) -> Result<Record, Error> {
    let comparison = Comparison::of([scene.worker("system", program!("sound"))]);
    let comparison = comparison.counting(scene.worker("counting", counting)).settings(settings());
    let mut session = comparison.open(&mut |_| {})?;
    session.measure(&Case::new("test/boxes"), &mut |_| {})?;
    session.finish()?;
    Ok(session.record().clone())
}

#[test]
fn one_that_fails_has_its_status_where_its_counts_would_be() {
    for (program, label) in [
        (program!("faulty-aborts-at-first-allocation"), "failed to start"),
        (program!("faulty-talks-garbage"), "protocol error"),
        (program!("faulty-no-proof"), "no proof"),
    ] {
        let scene = Scene::new();
        let record = run(&scene, program).expect("its failure is no failure of the run");
        scene.assert_nothing_runs(1);
        let labels: Vec<_> = record.counts.iter().map(|counts| counts.status.label()).collect();
        assert_eq!(labels, [label]);
        assert!(record.samples.iter().all(|sample| sample.status.is_ok()));
    }
}

#[test]
fn one_that_does_not_count_is_refused() {
    let scene = Scene::new();
    let error = run(&scene, program!("sound")).expect_err("it is an allocator like any other").to_string();
    assert_eq!(error, "\"counting\" does not count; it cannot stand for the counting worker");
    scene.assert_nothing_runs(1);
}

//! Checks of soundness: what a worker says of them, and what is said of one that dies, hangs or has none.

use std::time::Duration;

use heapmark::verify::{Checked, Event, Finding, Soundness, State, Verification};
use heapmark::{Cancel, Error, Limits, Worker};

use crate::scene::{Scene, program};

/// Verifies one program of these tests by one check.
fn soundness(scene: &Scene, program: &str, check: &'static str) -> Soundness {
    let verification = Verification::of([scene.worker("it", program)]).allow_debug();
    let verification = verification.checks(move |name| name == check).deadline(Duration::from_secs(5));
    verification.run(&mut |_| {}).expect("there is somebody and something to check")
}

fn checked(program: &str, check: &'static str) -> Checked {
    let scene = Scene::new();
    let soundness = soundness(&scene, program, check);
    scene.assert_nothing_runs(2);
    let examined = soundness.contender("it").expect("it was examined");
    assert!(examined.status.is_ok(), "{}", examined.status);
    assert_eq!(examined.results.len(), 1, "one check was asked for");
    examined.results[0].clone()
}

#[test]
fn a_worker_that_ends_in_a_check_has_failed_it() {
    for (program, finding, detail) in [
        (program!("faulty-aborts-at-work"), Finding::Aborts, "killed by SIGABRT: checking sizes: sizes from 4097 on"),
        (program!("faulty-crashes-at-work"), Finding::Aborts, "killed by SIGSEGV: checking sizes: sizes from 4097 on"),
        (program!("faulty-exits-at-work"), Finding::Aborts, "exited with 3: checking sizes: sizes from 4097 on"),
        (
            program!("faulty-hangs-at-work"),
            Finding::Hangs,
            "timed out: checking sizes: no answer within 5s: sizes from 4097 on",
        ),
    ] {
        let result = checked(program, "sizes");
        assert_eq!((result.state, result.finding, result.detail.as_str()), (State::Fail, Some(finding), detail));
    }
}

#[test]
fn a_failure_that_was_declared_is_a_known_limit() {
    let known = checked(program!("limited"), "sizes");
    assert_eq!((known.state, known.finding), (State::KnownLimit, Some(Finding::Aborts)));
    assert_eq!(known.limit.as_deref(), Some("from 4242 bytes on"));
    let not_seen = checked(program!("limited"), "align/page");
    assert_eq!((not_seen.state, not_seen.limit_not_seen()), (State::Pass, true), "{not_seen}");
    let undeclared = checked(program!("limited"), "impossible");
    assert_eq!((undeclared.state, undeclared.limit), (State::Pass, None));
}

#[test]
fn what_does_not_apply_is_skipped_with_the_reason() {
    let result = checked(program!("sound"), "purge");
    assert_eq!((result.state, result.detail.as_str()), (State::Skipped, "no purge is promised"));
}

#[test]
fn each_check_is_made_as_often_as_asked_in_a_process_of_its_own() {
    let scene = Scene::new();
    let mut seen = Vec::new();
    let verification = Verification::of([scene.worker("it", program!("sound"))]).allow_debug().repeat(3);
    let soundness = verification
        .checks(|name| ["align/page", "purge"].contains(&name))
        .run(&mut |event| match event {
            Event::Begun { contender, checks } => seen.push(format!("{contender} {checks}")),
            Event::Checked { result, .. } => seen.push(result.check.clone()),
            Event::Failed { .. } => seen.push("failed".into()),
        })
        .expect("there is something to check");
    // Two to introduce itself, and one for each check.
    scene.assert_nothing_runs(2 + 6);
    assert_eq!(seen, ["it 6", "align/page", "align/page", "align/page", "purge", "purge", "purge"]);
    let counts = soundness.contenders[0].results.iter().map(|result| (result.runs, result.seen));
    assert_eq!(counts.collect::<Vec<_>>(), [(3, 3), (3, 3)]);
    assert_eq!(soundness.checks.len(), 2);
    assert!(soundness.failures().next().is_none());
}

#[test]
fn who_cannot_be_examined_is_a_row_and_hurts_no_other() {
    let scene = Scene::new();
    let limit = Duration::from_secs(5);
    let limits = Limits { start: limit, prepare: limit, turn: limit, finish: limit };
    let workers = [
        Worker::missing("unbuilt", "no compiler"),
        scene.worker("garbage", program!("faulty-talks-garbage")),
        scene.worker("old", program!("no-checks")),
        scene.worker("sound", program!("sound")),
    ];
    let verification = Verification::of(workers).allow_debug().limits(limits).checks(|name| name == "align/page");
    let soundness = verification.run(&mut |_| {}).expect("one can be examined");
    let statuses: Vec<_> = soundness.contenders.iter().map(|one| one.status.to_string()).collect();
    assert_eq!(statuses[0], "not built: no compiler");
    assert!(statuses[1].starts_with("protocol error: starting: not a message"), "{}", statuses[1]);
    assert_eq!(statuses[2], "refused: it has no checks: never heard of it");
    assert_eq!(statuses[3], "ok");
    assert_eq!(soundness.failures().count(), 3);
    assert_eq!(soundness.contenders[3].results[0].state, State::Pass);
    scene.assert_nothing_runs(4);
}

#[test]
fn requests_that_leave_nothing_are_refused() {
    let scene = Scene::new();
    let nobody = Verification::new([]).run(&mut |_| {});
    assert!(matches!(nobody, Err(Error::NothingSelected(_))), "{nobody:?}");
    let sound = || Verification::of([scene.worker("it", program!("sound"))]).allow_debug();
    let nothing = sound().checks(|_| false).run(&mut |_| {});
    let Err(Error::NothingSelected(reason)) = nothing else { panic!("{nothing:?}") };
    assert!(reason.contains("align/page, align/2mib"), "{reason}");
    let cancel = Cancel::default();
    cancel.cancel();
    let cancelled = sound().cancel(cancel).run(&mut |_| {});
    assert!(matches!(cancelled, Err(Error::Interrupted)), "{cancelled:?}");
}

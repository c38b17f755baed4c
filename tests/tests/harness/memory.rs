//! The memory that a worker reports is its own, and the heap's.

use heapmark::record::Sample;
use heapmark::{Arrangement, Bytes, Case, Comparison, Nanos, Settings, Stop, Worker};
use heapmark_tests::MAPPED_FILE;

use crate::scene::{Scene, program, settings};

const MIB: u64 = 1 << 20;

/// One sample of a case, whose turns are of one unit each.
fn sample(worker: Worker, case: &Case) -> Sample {
    sample_followed(worker, case, &[])
}

/// The same, whose memory is read again after quiet times.
fn sample_followed(worker: Worker, case: &Case, settle_ms: &[u64]) -> Sample {
    let settings = Settings {
        settle_after_ms: Some(settle_ms.to_vec()),
        stop: Stop::Blocks(1),
        twin: false,
        arrangements: vec![Arrangement::Alone],
        // Shorter than any unit.
        turn: Nanos(1),
        ..settings()
    };
    let comparison = Comparison::of([worker]).settings(settings);
    let mut session = comparison.open(&mut |_| {}).expect("the worker is sound");
    session.measure(case, &mut |_| {}).expect("the case makes sense");
    session.finish().expect("nothing is written");
    let record = session.record().clone();
    let sample = record.samples.into_iter().next().expect("a sample of the only contender");
    assert!(sample.status.is_ok(), "{}", sample.status);
    assert_eq!(sample.units, u64::from(Settings::smoke().turns_alone), "turns of one unit");
    sample
}

/// The peak of a worker that touches 200 MiB, above what it had before.
fn peak_of_200_mib() -> u64 {
    let scene = Scene::new();
    let sample = sample(scene.worker("system", program!("sound")), &Case::new("test/touch").with("mib", 200));
    scene.assert_nothing_runs(1);
    assert!(sample.peak_reset, "this kernel does not reset the peak");
    let (peak, base) = (sample.peak_rss.expect("a peak"), sample.base_rss.expect("a base"));
    peak.0 - base.0
}

fn assert_200_mib(bytes: u64) {
    assert!((196 * MIB..=204 * MIB).contains(&bytes), "{bytes} bytes");
}

#[test]
fn the_peak_is_what_was_touched() {
    assert_200_mib(peak_of_200_mib());
}

#[test]
fn memory_is_read_after_every_turn_and_every_quiet_time() {
    let scene = Scene::new();
    let case = Case::new("test/touch").with("mib", 50);
    let sample = sample_followed(scene.worker("system", program!("sound")), &case, &[20, 60]);
    scene.assert_nothing_runs(1);
    assert_eq!(sample.turns.rss.len(), sample.turns.wall_ns.len());
    assert!(sample.turns.rss.iter().all(|rss| rss.0 >= 50 * MIB), "it keeps what it touched: {:?}", sample.turns.rss);
    let rss = |row: &heapmark::record::MemoryRow| row.rss.expect("a reading").0;
    assert!(rss(&sample.memory["worked"]) >= 50 * MIB && rss(&sample.memory["drained"]) < 50 * MIB, "{sample:?}");
    let after: Vec<u64> = sample.settled.iter().map(|row| row.after_ms).collect();
    assert_eq!(after, [20, 60]);
    assert!(sample.settled.iter().all(|row| rss(&row.memory) < 50 * MIB), "{:?}", sample.settled);
    assert!(sample.finish_ns >= 60_000_000, "nobody says that time has passed which has not: {}", sample.finish_ns);
}

/// A process starts with the `ru_maxrss` of the one that started it, and keeps it across exec.
#[test]
fn the_peak_of_a_large_harness_is_not_inherited() {
    let ballast = std::hint::black_box(vec![1_u8; 500 << 20]);
    assert_200_mib(peak_of_200_mib());
    assert_eq!(ballast.len(), 500 << 20);
}

#[test]
fn a_small_worker_of_a_large_harness_has_a_small_peak() {
    let ballast = std::hint::black_box(vec![1_u8; 500 << 20]);
    let scene = Scene::new();
    let sample = sample(scene.worker("system", program!("sound")), &Case::new("test/touch").with("mib", 10));
    scene.assert_nothing_runs(1);
    let peak = sample.peak_rss.expect("a peak");
    assert!(peak.0 >= 10 * MIB && peak.0 < 30 * MIB, "{peak}");
    assert_eq!(ballast.len(), 500 << 20);
}

/// Where the kernel tells nothing, nothing else stands in for it.
#[test]
fn a_peak_that_cannot_be_read_is_absent() {
    let scene = Scene::new();
    let settings = Settings { stop: Stop::Blocks(6), twin: false, ..settings() };
    let workers = ["system", "other"].map(|name| scene.worker(name, program!("no-readings")));
    let mut session = Comparison::of(workers).settings(settings).open(&mut |_| {}).expect("they are sound");
    let outcome = session.measure(&Case::new("test/boxes"), &mut |_| {}).expect("the case makes sense");
    session.finish().expect("nothing is written");
    assert!(session.record().samples.iter().all(|sample| sample.status.is_ok() && sample.peak_rss.is_none()));
    let other = outcome.contender("other").expect("it took part");
    assert!(other.peak_rss.is_none() && other.memory.is_none() && other.cpu.is_some(), "{other:?}");
    let outcome = heapmark::Outcome::of(session.record());
    let shown = heapmark::view::text(&outcome, &heapmark::view::Screen::default());
    assert!(shown.lines().filter(|line| line.contains("n/a")).count() >= 2, "{shown}");
    scene.assert_nothing_runs(1);
}

#[test]
fn the_peak_is_no_less_than_what_was_read_before() {
    let scene = Scene::new();
    let sample = sample(scene.worker("system", program!("lagging-peak")), &Case::new("test/boxes"));
    assert_eq!((sample.peak_rss, sample.turns.rss.iter().max()), (Some(Bytes(50 * MIB)), Some(&Bytes(50 * MIB))));
    scene.assert_nothing_runs(1);
}

/// The worker's allocator ends the process where anybody calls it between turns, or once everything was dropped.
#[test]
fn nobody_calls_the_allocator_in_a_quiet_time() {
    let scene = Scene::new();
    let sample = sample_followed(scene.worker("system", program!("hushed")), &Case::new("test/rests"), &[20, 60]);
    assert_eq!((sample.turns.rss.len(), sample.settled.len()), (2, 2), "memory was read all the same");
    assert!(sample.memory.contains_key("drained") && sample.peak_rss.is_some(), "{sample:?}");
    scene.assert_nothing_runs(1);
}

/// A worker may say of its live bytes what it likes; only one that is there to count is asked.
#[test]
fn what_an_allocator_says_of_its_live_bytes_counts_for_nothing() {
    let scene = Scene::new();
    let settings = Settings { twin: false, ..settings() };
    let comparison = Comparison::of([scene.worker("system", program!("faulty-absurd-numbers"))]).settings(settings);
    let mut session = comparison.open(&mut |_| {}).expect("it introduces itself soundly");
    let outcome = session.measure(&Case::new("test/boxes"), &mut |_| {}).expect("whatever it says");
    session.finish().expect("nothing is written");
    assert!(session.record().samples.iter().all(|sample| sample.status.is_ok()), "its result was taken");
    assert!(session.record().counts.is_empty() && outcome.counts.is_none(), "nobody counted");
    scene.assert_nothing_runs(1);
}

#[test]
fn pages_of_a_file_are_no_heap() {
    let scene = Scene::new();
    let file = std::fs::File::create(scene.folder().join(MAPPED_FILE)).expect("a file in a folder of our own");
    file.set_len(200 * MIB).expect("a sparse file");
    let worked = |mib: u64| {
        let worker = scene.worker("system", program!("sound"));
        sample(worker, &Case::new("test/mapped-file").with("mib", mib)).memory["worked"]
    };
    let (with, without) = (worked(200), worked(0));
    let grown = |of: fn(&heapmark::record::MemoryRow) -> Option<heapmark::Bytes>| {
        of(&with).expect("a reading").0.saturating_sub(of(&without).expect("a reading").0)
    };
    assert!(grown(|row| row.rss) >= 190 * MIB, "the file was not read: {with:?}, {without:?}");
    assert!(grown(|row| row.anonymous) < 5 * MIB, "{with:?}, {without:?}");
    scene.assert_nothing_runs(2);
}

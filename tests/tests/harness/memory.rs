//! The memory that a worker reports is its own, and the heap's.

use heapmark::record::Sample;
use heapmark::{Arrangement, Case, Comparison, Nanos, Settings, Stop, Worker};
use heapmark_tests::MAPPED_FILE;

use crate::scene::{Scene, program, settings};

const MIB: u64 = 1 << 20;

/// One sample of a case, whose turns are of one unit each.
fn sample(worker: Worker, case: &Case) -> Sample {
    let settings = Settings {
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

/// A process starts with the `ru_maxrss` of the one that started it, and keeps it across exec.
#[test]
fn the_peak_of_a_large_harness_is_not_inherited() {
    let ballast = std::hint::black_box(vec![1_u8; 500 << 20]);
    assert_200_mib(peak_of_200_mib());
    assert_eq!(ballast.len(), 500 << 20);
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

//! A sample is a process of its own, and how it is made depends on nothing that was measured before it.

use heapmark::record::Sample;
use heapmark::{Case, Comparison, Nanos, Settings, Stop};

use crate::scene::{Scene, program, settings};

/// Measures these cases with two contenders, in turns of one unit, so that calibration always finds the same. The samples, and how
/// many processes there were.
fn run(cases: &[Case]) -> (Vec<Sample>, usize) {
    let scene = Scene::new();
    let workers = ["system", "other"].map(|name| scene.worker(name, program!("sound")));
    let settings = Settings { stop: Stop::Blocks(3), turn: Nanos(1), twin: false, ..settings() };
    let mut session = Comparison::of(workers).settings(settings).open(&mut |_| {}).expect("sound workers");
    session.measure_all(cases, &mut |_| {}).expect("the cases make sense");
    session.finish().expect("nothing is written");
    let samples = session.record().samples.clone();
    (samples, scene.assert_nothing_runs(1))
}

#[test]
fn every_sample_is_a_process_of_its_own_with_its_baseline() {
    let (samples, processes) = run(&[Case::new("test/boxes")]);
    assert_eq!(samples.len(), 3 * 2 * 2, "three blocks, two arrangements, two contenders");
    // Both introduce themselves, and the reference is calibrated.
    assert_eq!(processes, samples.len() + 2 + 1);
    for sample in &samples {
        assert!(sample.status.is_ok(), "{}", sample.status);
        let (start, base, peak) = (sample.start_rss, sample.base_rss, sample.peak_rss);
        assert!(start.is_some() && start <= peak && base.is_some() && base <= peak, "{sample:?}");
    }
}

#[test]
fn the_order_of_the_cases_changes_no_sample() {
    let cases = [1, 2].map(|lanes| Case::new("test/boxes").with("lanes", lanes));
    let there = run(&cases).0;
    let back = run(&[cases[1].clone(), cases[0].clone()]).0;
    for case in &cases {
        let of_case = |samples: &[Sample]| -> Vec<_> {
            let ours = samples.iter().filter(|sample| sample.case == *case);
            ours.map(|s| (s.contender.clone(), s.block, s.arrangement, s.padding, s.units, s.turns.checksum.clone()))
                .collect()
        };
        let (there, back) = (of_case(&there), of_case(&back));
        assert_eq!(there.len(), 12);
        assert_eq!(there, back, "{case}");
    }
}

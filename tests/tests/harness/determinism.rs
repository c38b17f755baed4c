//! The same seed makes the same run.

use heapmark::record::Sample;
use heapmark::{Case, Comparison, Nanos, Settings, Stop};

use crate::scene::{Scene, program, settings};

/// What of a sample does not depend on how long anything took.
type Fixed = (String, u32, String, usize, u64, u64, Vec<u64>, Vec<u32>);

fn fixed(sample: &Sample) -> Fixed {
    assert!(sample.status.is_ok(), "{}", sample.status);
    let turns = &sample.turns;
    (
        sample.contender.clone(),
        sample.block,
        format!("{:?}", sample.arrangement),
        sample.padding,
        sample.units,
        sample.checksum,
        turns.checksum.clone(),
        turns.position.clone(),
    )
}

/// A run of three contenders with turns of one unit, so that calibration always finds the same.
fn run(seed: u64) -> Vec<Fixed> {
    let scene = Scene::new();
    let workers = ["system", "b", "c"].map(|name| scene.worker(name, program!("sound")));
    let settings = Settings { seed, stop: Stop::Blocks(4), turns: 6, turn: Nanos(1), ..settings() };
    let mut session = Comparison::of(workers).settings(settings).open(&mut |_| {}).expect("sound workers");
    session.measure(&Case::new("test/boxes"), &mut |_| {}).expect("the case makes sense");
    session.finish().expect("nothing is written");
    let record = session.record().clone();
    scene.assert_nothing_runs(1);
    record.samples.iter().map(fixed).collect()
}

#[test]
fn the_same_seed_makes_the_same_samples_in_the_same_order() {
    let (first, second) = (run(7), run(7));
    assert_eq!(first.len(), 4 * 4 * 2);
    assert_eq!(first, second);
}

#[test]
fn another_seed_makes_others() {
    let orders = |samples: &[Fixed]| -> Vec<_> { samples.iter().map(|s| (s.0.clone(), s.3, s.7.clone())).collect() };
    let inputs = |samples: &[Fixed]| -> Vec<_> { samples.iter().map(|s| s.6.clone()).collect() };
    let (first, other) = (run(7), run(8));
    assert_ne!(orders(&first), orders(&other));
    assert_ne!(inputs(&first), inputs(&other));
}

#[test]
fn every_block_has_a_seed_of_its_own_that_all_share() {
    let samples = run(7);
    let of = |block| -> Vec<_> { samples.iter().filter(|s| s.1 == block && s.2 == "Turns").map(|s| &s.6).collect() };
    for block in 0..4 {
        let ours = of(block);
        assert!(ours.iter().all(|checksums| *checksums == ours[0]), "within block {block}");
        for other in 0..block {
            assert_ne!(ours[0], of(other)[0], "blocks {block} and {other}");
        }
    }
}

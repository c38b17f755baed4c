//! Two versions of one allocator compete: their workers call themselves by the same name, and are told apart by the one they
//! are given.

use std::process::Command;

use heapmark::{Case, Comparison, Outcome, Worker};

use crate::scene::{Scene, program, settings};

#[test]
fn workers_of_one_name_compete_under_names_of_their_own() {
    let scene = Scene::new();
    let workers = ["old", "new"].map(|version| {
        let folder = scene.folder().join(version);
        std::fs::create_dir(&folder).expect("a folder of our own");
        let copy = folder.join("heapmark-worker-test");
        // By a program: a file that this one had written could be open still in what other threads start at this moment.
        let copied = Command::new("cp").arg(program!("sound")).arg(&copy).status().expect("cp runs");
        assert!(copied.success());
        Worker::at(version, copy)
    });
    let mut session =
        Comparison::of(workers).reference("old").settings(settings()).open(&mut |_| {}).expect("both greet");
    let case = Case::new("test/boxes").with("lanes", 1);
    session.measure(&case, &mut |_| {}).expect("the case makes sense");
    let record = session.record();

    let names: Vec<_> = record.contenders.iter().map(|row| (row.name.as_str(), row.backend.as_str())).collect();
    assert_eq!(names, [("old", "old"), ("old (twin)", "old"), ("new", "new")]);
    let versions = record.contenders.iter().map(|row| &row.identity.as_ref().expect("it greeted").crate_name);
    assert!(versions.clone().all(|name| Some(name) == versions.clone().next()), "they are of one crate");
    let outcome = Outcome::of(record);
    let outcome = outcome.case("test/boxes").expect("the case was measured");
    for version in ["old", "new"] {
        let contender = outcome.contender(version).expect("the row is there");
        assert!(contender.status.is_ok() && contender.throughput.is_some(), "{version}: {}", contender.status);
    }
    assert!(outcome.contender("new").is_some_and(|new| new.cpu.is_some() && new.memory.is_some()), "it is compared");
}

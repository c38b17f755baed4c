//! What makes no sense is refused in one line, without a panic.

use std::path::PathBuf;

use heapmark::{Case, Comparison, Contender, Error, Outcome, Settings, Worker};

use crate::scene::{Scene, program, settings};

/// Names that are no file names, and no words of a table; that differ by case only, or only after so many letters.
fn odd_names() -> Vec<String> {
    let names = ["a/b", "a:b", "a\"b", "a*b", "a?b", "A/B", "../../etc", " ", "a|b", "größer"];
    let long = "a/long ".repeat(50);
    names.into_iter().map(str::to_owned).chain(["1", "2"].map(|end| format!("{long}{end}"))).collect()
}

fn refused(result: Result<Outcome, Error>) -> String {
    let text = result.expect_err("this makes no sense").to_string();
    assert!(!text.contains(char::is_control), "{text:?} is not one line");
    text
}

#[test]
fn cases_that_nobody_can_do() {
    let scene = Scene::new();
    let run = |case: Case| {
        let comparison = Comparison::of([scene.worker("system", program!("sound"))]).settings(settings());
        refused(comparison.run(&[Case::new("test/boxes"), case]))
    };
    let workloads = "there are test/boxes, test/touch, test/mapped-file, test/requests";
    for name in odd_names().into_iter().chain([String::new()]) {
        assert_eq!(run(Case::new(&name)), format!("no workload is named {name:?}; {workloads}"));
        let parameter = run(Case::new("test/boxes").with(&name, 1));
        assert_eq!(parameter, format!("test/boxes has no parameter {name:?}; it has lanes"));
        let value = run(Case::new("test/boxes").with("lanes", &name));
        assert_eq!(value, format!("test/boxes: lanes={name:?} is not a whole number from 1 to 8"));
    }
    for value in ["0", "9", "-1", "1.5", "", "99999999999999999999", "1\n2"] {
        let text = run(Case::new("test/boxes").with("lanes", value));
        assert!(text.ends_with("is not a whole number from 1 to 8"), "{text}");
    }
    // Nothing of the first case was measured either: a worker was only asked what it offers.
    scene.assert_nothing_runs(1);
}

#[test]
fn contenders_that_cannot_be_compared() {
    let scene = Scene::new();
    let sound = |name: &str| Contender::plain(scene.worker(name, program!("sound")));
    let run = |contenders: &[Contender]| Comparison::new(contenders.iter().cloned()).settings(settings());
    let case = [Case::new("test/boxes")];
    assert_eq!(refused(run(&[]).run(&case)), "no contender is selected");
    assert_eq!(refused(run(&[sound("a"), sound("")]).run(&case)), "a contender has no name");
    assert_eq!(refused(run(&[sound("a"), sound("b"), sound("a")]).run(&case)), "\"a\" takes part twice");
    assert_eq!(
        refused(run(&[sound("a"), sound("a (twin)")]).run(&case)),
        "\"a (twin)\" is what the reference's twin is called"
    );
    assert_eq!(
        refused(run(&[sound("a"), sound("b")]).reference("c").run(&case)),
        "the reference \"c\" does not take part; there are a, b"
    );
    let settings = Settings { margin: f64::NAN, ..settings() };
    assert!(refused(run(&[sound("a")]).settings(settings).run(&case)).starts_with("a margin of NaN"));
    scene.assert_nothing_runs(0);
}

#[test]
fn odd_names_of_contenders_are_names_like_any_other() {
    let scene = Scene::new();
    let names = odd_names();
    assert!(names.iter().any(|name| name.len() > 300));
    let workers = names.iter().map(|name| scene.worker(name, program!("sound")));
    let outcome = Comparison::of(workers).settings(settings()).run(&[Case::new("test/boxes")]).expect("sound workers");
    let outcome = outcome.case("test/boxes").expect("the case was measured");
    assert_eq!(outcome.contenders.iter().map(|contender| contender.name.clone()).collect::<Vec<_>>(), names);
    assert!(outcome.contenders.iter().all(|contender| contender.status.is_ok()), "{:?}", outcome.contenders);
    scene.assert_nothing_runs(1);
}

/// Programs that are none, with what must be said of them.
fn no_programs(scene: &Scene) -> Vec<(&'static str, Worker)> {
    let file = |name: &str, content: &str, mode: u32| -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = scene.folder().join(name);
        std::fs::write(&path, content).expect("a file in a folder of our own");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("the file is ours");
        path
    };
    let folder = scene.folder().join("folder");
    std::fs::create_dir(&folder).expect("a folder in a folder of our own");
    vec![
        ("cannot start \"missing\": No such file", Worker::at("missing", scene.folder().join("missing"))),
        ("cannot start \"plain\": Permission denied", Worker::at("plain", file("plain", "#!/bin/sh\n", 0o644))),
        ("cannot start \"folder\": Permission denied", Worker::at("folder", folder)),
        ("cannot start \"empty\": Exec format error", Worker::at("empty", file("empty", "", 0o755))),
        ("cannot start \"text\": Exec format error", Worker::at("text", file("text", "some words\n", 0o755))),
        ("cannot start \"odd\\nname\": No such file", Worker::at("odd", scene.folder().join("odd\nname"))),
        // Not the program of that name on PATH, nor the folder that an empty path would be in.
        ("cannot start \"sh\": No such file", Worker::at("command", "sh")),
        ("cannot start \"\": Permission denied", Worker::at("no path", "")),
        ("exited with 0: starting", Worker::at("silent", file("silent", "#!/bin/sh\n", 0o755))),
    ]
}

#[test]
fn programs_that_cannot_be_started() {
    let scene = Scene::new();
    let programs = no_programs(&scene);
    let workers = programs.iter().map(|(_, worker)| worker.clone());
    let comparison = Comparison::of(std::iter::once(scene.worker("system", program!("sound"))).chain(workers));
    let outcome = comparison.settings(settings()).run(&[Case::new("test/boxes")]).expect("the reference is sound");
    let outcome = outcome.case("test/boxes").expect("the case was measured");
    for (expected, worker) in &programs {
        let status = &outcome.contender(&worker.name).expect("the row is there").status;
        assert_eq!(status.label(), "failed to start", "{status}");
        assert!(status.detail().contains(expected), "{status}");
    }
    assert!(outcome.contender("system").is_some_and(|system| system.status.is_ok()));

    let workers = programs.into_iter().map(|(_, worker)| worker);
    let nobody = refused(Comparison::of(workers).settings(settings()).run(&[Case::new("test/boxes")]));
    assert!(nobody.starts_with("no contender can be measured: missing: failed to start"), "{nobody}");
    scene.assert_nothing_runs(1);
}

#[test]
fn numbers_that_no_worker_can_mean() {
    let scene = Scene::new();
    let workers = ["system", "other"].map(|name| scene.worker(name, program!("faulty-absurd-numbers")));
    let comparison = Comparison::of(workers).settings(settings());
    let mut session = comparison.open(&mut |_| {}).expect("it introduces itself soundly");
    session.measure(&Case::new("test/boxes"), &mut |_| {}).expect("whatever a worker says is no failure of the run");
    session.finish().expect("nothing is written");
    let record = session.record().clone();
    let outcome = Outcome::of(&record);
    // Whatever is shown, it is shown.
    let shown = heapmark::view::table(&outcome, heapmark::view::Style::Text);
    assert!(shown.contains("test/boxes"), "{shown}");
    assert!(record.samples.iter().any(|sample| sample.wall_ns == u64::MAX), "the sums stop at the greatest number");
    scene.assert_nothing_runs(1);
}

#[test]
fn debug_builds_are_not_measured() {
    let scene = Scene::new();
    let workers = [scene.worker("system", program!("sound")), scene.worker("debug", program!("faulty-debug-library"))];
    let comparison = Comparison::of(workers).settings(Settings { allow_debug: false, ..settings() });
    let error = refused(comparison.run(&[Case::new("test/boxes")]).and_then(|outcome| {
        // In a release build of this package the sound one may be measured, and only the other is refused.
        let outcome = outcome.case("test/boxes").expect("the case was measured");
        let contender = outcome.contender("debug").expect("the row is there");
        Err(Error::NoWorker(format!("{}: {}", contender.name, contender.status)))
    }));
    assert!(error.contains("debug: debug build: ") && error.contains("native -O0"), "{error}");
    assert_eq!(error.contains("system: debug build: "), cfg!(debug_assertions), "{error}");
    scene.assert_nothing_runs(2);
}

//! What a `heapmark.toml` and the options beside it change in what would run. All workers are scripts, so that nothing is built.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use tempfile::TempDir;

/// A project of its own, with workers under these names and this file.
struct Project {
    folder: TempDir,
}

const WORKERS: &str = "[workers]\nsystem = 'bin/system'\ncounting = 'bin/counting'\nother = 'bin/other'\n";

impl Project {
    fn new(file: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/configuration/worker.sh");
        for inner in ["bin", ".git", "src"] {
            std::fs::create_dir(folder.path().join(inner)).expect("a folder of our own");
        }
        for name in ["system", "counting", "other", "old", "new"] {
            symlink(&script, folder.path().join("bin").join(name)).expect("a link in a folder of our own");
        }
        std::fs::write(folder.path().join("heapmark.toml"), format!("{WORKERS}{file}")).expect("it is ours");
        Self { folder }
    }

    /// The command in a folder of the project, in an environment without wishes of whoever runs the tests.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("heapmark").expect("the command is built");
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with("HEAPMARK_")) {
                command.env_remove(name);
            }
        }
        command.current_dir(self.folder.path().join("src")).args(arguments);
        command
    }

    /// Cases, contenders and states of what would run.
    fn plan(&self, arguments: &[&str]) -> Vec<String> {
        let fixed = ["run", "--list", "-a", "^(system|other|library)$"];
        let output = self.command(&[&fixed[..], arguments].concat()).output().expect("the command runs");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        let used = format!("configuration: {}", self.folder.path().join("heapmark.toml").display());
        assert!(text(&output.stderr).contains(&used), "{}", text(&output.stderr));
        text(&output.stdout).lines().map(str::to_owned).collect()
    }

    /// Who would take part in the default workload beside `system` and its twin, with their states.
    fn contenders(&self, arguments: &[&str]) -> Vec<String> {
        let plan = self.plan(arguments);
        let rows = plan.iter().map(|line| line.split_once('\t').expect("a line has three fields").1);
        let rows: Vec<String> = rows.map(|row| row.replace('\t', " ")).collect();
        assert_eq!(rows[..2], ["system ok", "system (twin) ok"], "{rows:?}");
        rows[2..].to_vec()
    }

    /// The reason that a request makes no sense.
    fn refusal(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("the command runs");
        refusal(&output)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

fn refusal(output: &Output) -> String {
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(output.stdout.is_empty() && !errors.contains("panicked"), "{errors}");
    errors.lines().last().unwrap_or_default().to_owned()
}

const CONTENDERS: &str = "[contenders]\n\
    deep = 'other@depth:7'\n\
    stuck = { backend = 'other', knobs = { stubborn = 1 } }\n\
    small = { backend = 'system', thp = 'never' }\n\
    [contender-sets]\n\
    mine = ['deep', 'system@depth:1', '*@depth:2']\n";

#[test]
fn named_contenders_take_part_where_they_are_named() {
    let project = Project::new(CONTENDERS);
    assert_eq!(project.contenders(&[]), ["other ok"]);
    assert_eq!(project.contenders(&["-a", "deep|stuck"]), ["other ok"], "patterns do not see them");
    assert_eq!(project.contenders(&["--with", "deep"]), ["other ok", "deep ok"]);
    assert_eq!(project.contenders(&["--with", "stuck"]), ["other ok", "stuck knob did not take"]);
    assert_eq!(project.contenders(&["-A", "other", "--with", "deep@thp:never"]), ["deep@thp:never ok"]);
    let plan = project.plan(&["-A", "other", "--reference", "deep"]);
    assert_eq!(plan, ["test/one\tdeep\tok", "test/one\tdeep (twin)\tok", "test/one\tsystem\tok"]);
    let reason = project.refusal(&["run", "--list", "-a", "^system$", "--with", "deep@depth:1"]);
    assert!(reason.contains("depth would be set twice"), "{reason}");
}

#[test]
fn sets_take_part_as_a_whole() {
    let project = Project::new(CONTENDERS);
    let mine = ["other ok", "deep ok", "system@depth:1 ok", "other@depth:2 ok", "system@depth:2 ok"];
    assert_eq!(project.contenders(&["--with-set", "mine"]), mine);
    assert_eq!(project.contenders(&["--with-set", "mine", "--with", "deep"]).len(), mine.len(), "nobody comes twice");
    let ready_made = project.contenders(&["--with-set", "thp", "--with", "small"]);
    assert_eq!(ready_made, ["other ok", "small ok", "other@thp:never ok", "system@thp:never ok"]);
    let reason = project.refusal(&["run", "--list", "-a", "^system$", "--with-set", "yours"]);
    assert!(reason.contains("mine") && reason.contains("jemalloc-decay"), "{reason}");
}

#[test]
fn the_file_may_name_who_takes_part_in_every_run() {
    let project = Project::new(&format!("{CONTENDERS}[run]\nwith = ['deep']\nwith-sets = ['thp']\n"));
    assert_eq!(project.contenders(&[]), ["other ok", "deep ok", "other@thp:never ok", "system@thp:never ok"]);
}

#[test]
fn workloads_come_from_sets_with_parameters() {
    let project = Project::new(
        "[workload-sets]\n\
         mine = ['test/two?size=7', 'test/one']\n\
         [parameters]\n\
         size = 3\n\
         [parameters.'test/two']\n\
         width = 9\n",
    );
    let cases = |arguments: &[&str]| {
        let mut cases: Vec<String> = project.plan(&[arguments, &["-A", "other"]].concat());
        cases.retain(|line| line.contains("\tsystem\t"));
        cases.iter().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(cases(&[]), ["test/one?size=3"]);
    assert_eq!(cases(&["--set", "both"]), ["test/one?size=3", "test/two?size=3&width=9"]);
    assert_eq!(cases(&["--set", "mine"]), ["test/two?size=7&width=9", "test/one?size=3"]);
    assert_eq!(cases(&["--set", "mine", "--param", "size=5"]), ["test/two?size=5&width=9", "test/one?size=5"]);
    assert_eq!(cases(&["--set", "mine", "--set", "both", "-W", "two"]), ["test/one?size=3"]);
    let reason = project.refusal(&["run", "--list", "-a", "^system$", "--set", "yours"]);
    assert!(reason.contains("mine, default, both"), "{reason}");
}

#[test]
fn a_wrong_file_is_refused_with_the_line() {
    let project = Project::new("[contenders]\nx = 'a@b'\n");
    let reason = project.refusal(&["run", "--list"]);
    assert!(reason.contains("heapmark.toml:6: ") && reason.contains("lacks its `:value`"), "{reason}");
    for verb in [&["list"][..], &["list", "--sets"], &["build"]] {
        assert_eq!(project.refusal(verb), reason, "{verb:?}");
    }
}

#[test]
fn another_file_may_be_named_or_none() {
    let project = Project::new("[contenders]\nx = 'a@b'\n");
    let other = project.folder.path().join("other.toml");
    std::fs::write(&other, format!("{WORKERS}[contender-sets]\nelsewhere = ['system']\n")).expect("it is ours");
    let other = other.to_str().expect("UTF-8");
    let sets = ["list", "--sets"];
    for output in [
        project.command(&[&sets[..], &["--config", other]].concat()).output(),
        project.command(&sets).env("HEAPMARK_CONFIG", other).output(),
    ] {
        let output = output.expect("the command runs");
        assert!(output.status.success() && text(&output.stdout).contains("elsewhere"), "{}", text(&output.stderr));
    }
    let none = project.command(&[&sets[..], &["--config", "/dev/null"]].concat()).output().expect("the command runs");
    assert!(none.status.success() && text(&none.stdout).contains("jemalloc-decay"), "{}", text(&none.stderr));
    let gone = project.command(&[&sets[..], &["--config", "gone.toml"]].concat()).output().expect("the command runs");
    assert_eq!(gone.status.code(), Some(1));
    assert!(text(&gone.stderr).contains("gone.toml"), "{}", text(&gone.stderr));
}

#[test]
fn the_sets_are_listed() {
    let project = Project::new(&format!("{CONTENDERS}thp = ['small']\n[workload-sets]\nw = ['test/one?size=2']\n"));
    let listed = |arguments: &[&str]| {
        let output = project.command(&[&["list", "--sets"], arguments].concat()).output().expect("the command runs");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let shown = listed(&[]);
    for line in ["  mine", "    *@depth:2", "    jemalloc@narenas:1", "  w", "    test/one?size=2"] {
        assert!(shown.lines().any(|shown| shown == line), "{line:?} in {shown}");
    }
    let json: serde_json::Value = serde_json::from_str(&listed(&["--format", "json"])).expect("the output is JSON");
    let sets = json["contenders"].as_array().expect("a list");
    let named = |name: &str| sets.iter().filter(|set| set["name"] == name).cloned().collect::<Vec<_>>();
    assert_eq!(named("mine")[0]["members"], serde_json::json!(["deep", "system@depth:1", "*@depth:2"]));
    assert_eq!(named("jemalloc")[0]["ready_made"], true);
    let [thp] = &named("thp")[..] else { panic!("{sets:?}") };
    assert_eq!((&thp["ready_made"], &thp["members"]), (&false.into(), &serde_json::json!(["small"])));
    assert_eq!(json["workloads"][0]["name"], "w");
}

#[test]
fn a_listing_has_contenders_that_are_named() {
    let project = Project::new(CONTENDERS);
    let arguments = ["list", "-a", "^other$", "--with", "deep", "--format", "json"];
    let output = project.command(&arguments).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the output is JSON");
    let names: Vec<_> = json["contenders"].as_array().expect("a list").iter().map(|row| row["name"].clone()).collect();
    assert_eq!(names, ["other", "deep"]);
    assert_eq!(json["contenders"][1]["knobs"]["depth"]["value"], "7");
}

#[test]
fn libraries_take_part_like_backends() {
    let project = Project::new("[preload]\nlibrary = 'library.so'\n");
    assert_eq!(project.contenders(&[]), ["other ok", "library failed to start"], "there is no such file");
    assert_eq!(project.contenders(&["-A", "library"]), ["other ok"]);
    std::fs::write(project.folder.path().join("library.so"), "a text of some length").expect("it is ours");
    let arguments = ["list", "-a", "^library$", "--worker", "system=../bin/system"];
    let output = project.command(&arguments).output().expect("the command runs");
    assert!(text(&output.stderr).contains("it is no shared library"), "{}", text(&output.stderr));
    for name in ["system", "mine"] {
        let arguments = ["run", "--list", "--worker", "mine=../bin/old", "--preload", &format!("{name}=x.so")];
        let reason = project.refusal(&arguments);
        assert!(reason.contains("something else is called so"), "{reason}");
    }
}

#[test]
fn versions_of_one_allocator_compete() {
    let project = Project::new("");
    let workers = ["--worker", "old=../bin/old", "--worker", "new=../bin/new"];
    let arguments = [&["run", "--list", "-a", "^(old|new)$", "--reference", "old"], &workers[..]].concat();
    let output = project.command(&arguments).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "test/one\told\tok\ntest/one\told (twin)\tok\ntest/one\tnew\tok\n");
}

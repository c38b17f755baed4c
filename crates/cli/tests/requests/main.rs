//! Requests, series, scaling and sensitivity from a run to its views, with workers that claim what follows from their parameters.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// A record of a real run, without sweeps and requests.
const OTHER_RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/record.jsonl");

/// A folder with scripted workers, and the record of a run of them.
struct Stage {
    folder: TempDir,
    /// What the run printed.
    printed: String,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

/// The command in an environment without wishes of whoever runs the tests.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("heapmark").expect("the command is built");
    for (name, _) in std::env::vars_os() {
        if name == "COLUMNS" || name.to_str().is_some_and(|name| name.starts_with("HEAPMARK_")) {
            command.env_remove(name);
        }
    }
    command.args(arguments);
    command
}

fn heapmark(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command runs")
}

/// What a command prints that must succeed.
fn printed(arguments: &[&str]) -> String {
    let output = heapmark(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The last line of standard error of a command that must end with this code.
fn reason(arguments: &[&str], code: i32) -> String {
    let output = heapmark(arguments);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
    assert!(output.stdout.is_empty() && !errors.contains("panicked"), "{errors}");
    errors.lines().last().unwrap_or_default().to_owned()
}

impl Stage {
    /// The folder, with nothing measured yet.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/requests/worker.sh");
        for name in ["system", "counting", "other"] {
            symlink(&script, folder.path().join(name)).expect("a link in a folder of our own");
        }
        Self { folder, printed: String::new() }
    }

    fn record(&self) -> PathBuf {
        self.folder.path().join("run.jsonl")
    }

    /// The options that name its workers.
    fn workers(&self) -> Vec<String> {
        let names = ["system", "counting", "other"].into_iter();
        names
            .flat_map(|name| ["--worker".to_owned(), format!("{name}={}", self.folder.path().join(name).display())])
            .collect()
    }

    /// The arguments of a run.
    fn arguments(&self, more: &[&str]) -> Vec<String> {
        let mut arguments = vec!["run".to_owned()];
        arguments.extend(self.workers());
        arguments.extend(["-a", "^(system|other)$"].map(str::to_owned));
        arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
        arguments
    }

    fn run(&self, more: &[&str]) -> Output {
        let arguments = self.arguments(more);
        heapmark(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The cases that a run would measure.
    fn cases(&self, more: &[&str]) -> Vec<String> {
        let output = self.run(&[&["--list", "-a", "^system$"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{more:?}: {}", text(&output.stderr));
        let mut cases: Vec<String> =
            text(&output.stdout).lines().filter_map(|line| line.split('\t').next()).map(str::to_owned).collect();
        cases.dedup();
        cases
    }
}

/// One run for all tests: a sweep of connections, of both stacks.
fn swept() -> &'static Stage {
    static STAGE: OnceLock<Stage> = OnceLock::new();
    STAGE.get_or_init(|| {
        let mut stage = Stage::new();
        let record = stage.record();
        let sweeps = ["--sweep", "connections=1,2,4,8,16", "--sweep", "stack=light,heavy"];
        let rest = ["-w", "test/serve", "--blocks", "6", "-o", record.to_str().expect("UTF-8")];
        let output = stage.run(&[&sweeps[..], &rest].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        stage.printed = text(&output.stdout);
        stage
    })
}

fn view(arguments: &[&str]) -> String {
    let record = swept().record();
    printed(&[&["report", record.to_str().expect("UTF-8")], arguments].concat())
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&view(&[arguments, &["--format", "json"]].concat())).expect("the output is JSON")
}

fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn near(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|value| (value / expected - 1.0).abs() < 0.001)
}

#[test]
fn every_value_of_a_sweep_is_a_case() {
    let stage = Stage::new();
    let cases = stage.cases(&["-w", "test/serve", "--sweep", "connections=1,8", "--sweep", "stack=light,heavy"]);
    assert_eq!(
        cases,
        [
            "test/serve?connections=1&stack=light",
            "test/serve?connections=1&stack=heavy",
            "test/serve?connections=8&stack=light",
            "test/serve?connections=8&stack=heavy",
        ]
    );
    let both = stage.cases(&["-w", "test/", "--sweep", "connections=1,8", "--param", "size=3"]);
    assert_eq!(both, ["test/serve?connections=1", "test/serve?connections=8", "test/fades?size=3"]);
    for (arguments, hint) in [
        (&["--sweep", "connections=1,8", "--param", "connections=2"][..], "connections is set and swept"),
        (&["--sweep", "connections=1,5000"], "from 1 to 4096"),
        (&["--sweep", "colours=1,2"], "no selected workload has a parameter \"colours\""),
        (&["--sweep", "connections=1,1"], "stands there twice"),
    ] {
        let output = stage.run(arguments);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(hint), "{arguments:?}: {errors}");
    }
    let resumed = heapmark(&["run", "--sweep", "connections=1", "--resume", "no/such"]);
    assert!(text(&resumed.stderr).contains("leave out --sweep"), "{}", text(&resumed.stderr));
}

#[test]
fn a_sweep_of_threads_wins_over_the_variable() {
    let stage = Stage::new();
    let arguments = stage.arguments(&["--list", "-w", "fades", "--sweep", "threads=1,2"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = command(&arguments).env("HEAPMARK_THREADS", "3").output().expect("the command runs");
    let plan = text(&output.stdout);
    assert!(plan.contains("test/fades?threads=1\t") && plan.contains("test/fades?threads=2\t"), "{plan}");
    let both = heapmark(&[&arguments[..], &["--threads", "3"]].concat());
    assert_eq!(both.status.code(), Some(2));
    assert!(text(&both.stderr).contains("threads is set and swept"), "{}", text(&both.stderr));
}

#[test]
fn a_run_shows_what_requests_came_to() {
    let lines: Vec<String> = swept().printed.lines().map(words).collect();
    let heading = "requests requests/s per CPU s user system received errors min mean sd median p90 p99 max";
    assert_eq!(lines.iter().filter(|line| *line == heading).count(), 10, "{}", swept().printed);
    // Of one connection: a unit takes a second of CPU time, of which a quarter is the kernel's; a MiB is received for each.
    let system =
        "system 1.00 /s 1.00 /s 750 ms 250 ms 1.00 MiB/s 0 % 1.00 µs 60.0 µs 10.0 µs 50.0 µs 90.0 µs 99.0 µs 100 µs";
    assert!(lines.iter().any(|line| line == system), "{}", swept().printed);
    assert!(lines.iter().any(|line| line.starts_with("other: 6 of ") && line.ends_with("requests failed: 6 timeout")));
    assert!(swept().printed.contains("in a closed loop"), "what the figures mean");
    assert_eq!(view(&[]), swept().printed, "report shows what run printed");
}

#[test]
fn requests_in_full_have_all_percentiles_in_every_format() {
    let shown = view(&["--view", "requests"]);
    for percent in ["50", "66", "75", "80", "90", "95", "98", "99", "99.9", "100"] {
        let figure = format!("{percent} % within");
        assert_eq!(shown.lines().filter(|line| words(line).starts_with(&figure)).count(), 10, "{figure} in {shown}");
    }
    assert!(
        shown.lines().map(words).any(|line| line == "99.9 % within 99.9 µs [99.9 µs, 99.9 µs] 200 µs [200 µs, 200 µs]"),
        "{shown}"
    );
    let all = json(&["--view", "requests"]);
    assert_eq!(all.as_array().map(Vec::len), Some(10));
    let other = &all[0]["contenders"][1];
    assert_eq!((&other["name"], &other["latency"]["p99"]["value"]), (&"other".into(), &198_000.0.into()));
    assert_eq!((&other["errors"]["timeout"], &other["open_loop"]), (&6.into(), &false.into()));
    let csv = view(&["--view", "requests", "--format", "csv"]);
    let row = csv.lines().find(|line| line.contains(",other,p999_ns,")).expect("a row for each figure");
    assert!(row.contains(",p999_ns,199800,199800,199800,6"), "{row}");
    let table = view(&["--view", "requests", "--format", "table"]);
    assert_eq!(table.lines().count(), 2 + 10 * 2 * 23, "{table}");
    assert!(view(&["--format", "page"]).contains("## Requests"));
    let samples = view(&["--format", "csv"]);
    assert!(samples.lines().next().is_some_and(|names| names.contains(",latency_p99_ns,")), "{samples}");
}

#[test]
fn a_closed_loop_gives_no_verdict_on_latency_unless_asked() {
    let record = swept().record();
    let record = record.to_str().expect("UTF-8");
    let rows = |arguments: &[&str]| -> Vec<Value> {
        let all = printed(&[&["cmp", record, "--format", "json"], arguments].concat());
        serde_json::from_str(&all).expect("an array")
    };
    assert!(rows(&[]).iter().all(|row| row["metric"] != "p99"));
    let asked = rows(&["--metric", "p50,p99,p999,max-latency"]);
    assert_eq!(asked.len(), 10 * 4);
    for row in asked {
        let times = if row["parameters"]["stack"] == "heavy" { 4.0 } else { 2.0 };
        assert!(near(&row["ratio"], times) && row["verdict"] == "slower" && row["blocks"] == 6, "{row}");
    }
    let open = Stage::new();
    let path = open.record();
    let path = path.to_str().expect("UTF-8");
    let output = open.run(&["-w", "test/serve", "--param", "rate=5", "--blocks", "6", "--measure", "time", "-o", path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = printed(&["cmp", path]);
    let metrics: Vec<String> = table.lines().map(words).filter(|line| line.contains("2.000")).collect();
    for metric in ["p50", "p99", "p999", "max-latency"] {
        assert!(
            metrics.iter().any(|line| line.starts_with(&format!("{metric} 2.000 [2.000, 2.000] slower"))),
            "{table}"
        );
    }
    assert!(printed(&["report", path, "--view", "requests"]).contains("open: from when due"));
}

#[test]
fn a_sweep_has_its_law_and_its_memory_for_each() {
    let all = json(&["--view", "scaling"]);
    let sweeps = all.as_array().expect("an array");
    assert_eq!(sweeps.len(), 2, "one for each stack");
    for (sweep, factor) in sweeps.iter().zip([[1.0, 2.0], [1.0, 4.0]]) {
        assert_eq!(sweep["sweep"]["parameter"], "connections");
        for (contender, factor) in sweep["contenders"].as_array().expect("an array").iter().zip(factor) {
            assert_eq!(contender["points"].as_array().map(Vec::len), Some(5));
            let law = &contender["law"];
            assert!(
                near(&law["lambda"], 1.0 / factor) && near(&law["sigma"], 0.05) && near(&law["kappa"], 0.001),
                "{law}"
            );
            assert!(near(&law["peak"], (0.95_f64 / 0.001).sqrt()) && near(&law["r_squared"], 1.0), "{law}");
            assert!(near(&contender["memory"]["slope"], 3e6), "{contender}");
        }
    }
    let shown = view(&["--view", "scaling"]);
    assert!(shown.contains("test/serve?stack=light over connections (unit: request)"), "{shown}");
    assert!(shown.contains("2.86 MiB/connection [2.86 MiB, 2.86 MiB]"), "{shown}");
    let few = view(&["--view", "scaling", "--format", "table"]);
    assert!(few.contains("| test/serve?stack=heavy over connections | other"), "{few}");
    assert_eq!(view(&["--view", "scaling", "--format", "csv"]).lines().count(), 1 + 2 * 2 * 5);
    assert!(view(&["--format", "page"]).contains("## Scaling"));
}

#[test]
fn workloads_are_ordered_by_what_they_gain() {
    let all = json(&["--view", "sensitivity"]);
    let ratios: Vec<f64> = all
        .as_array()
        .expect("an array")
        .iter()
        .map(|row| row["throughput"]["estimate"]["ratio"].as_f64().expect("a number"))
        .collect();
    assert_eq!(ratios.iter().map(|ratio| ratio.round()).collect::<Vec<_>>(), [[4.0; 5], [2.0; 5]].concat());
    assert_eq!((&all[0]["throughput"]["best"], &all[0]["throughput"]["worst"]), (&"system".into(), &"other".into()));
    let shown = view(&["--view", "sensitivity"]);
    assert!(
        shown.lines().nth(1).is_some_and(|line| line.contains("stack=heavy") && line.contains("4.000 [4.000, 4.000]")),
        "{shown}"
    );
    assert_eq!(view(&["--view", "sensitivity", "--format", "csv"]).lines().count(), 1 + 10 * 3);
}

#[test]
fn a_service_that_fades_is_declining_and_growing() {
    let stage = Stage::new();
    let path = stage.record();
    let path = path.to_str().expect("UTF-8");
    let output = stage.run(&["-w", "test/fades", "--blocks", "6", "--measure", "memory", "-o", path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    let lines: Vec<String> = shown.lines().map(words).collect();
    let over_time = lines.iter().position(|line| line.starts_with("memory over time")).expect("the table is there");
    assert!(
        lines[over_time].ends_with("trend throughput") && lines[over_time + 1].ends_with("growing declining"),
        "{shown}"
    );
    let series = printed(&["report", path, "--view", "series"]);
    assert!(series.contains('█') && series.contains("declining") && series.contains("growing"), "{series}");
    let csv = printed(&["report", path, "--view", "series", "--format", "csv"]);
    // Three workers, six blocks, sixty turns.
    assert_eq!(csv.lines().count(), 1 + 3 * 6 * 60);
    let first = csv.lines().find(|line| line.contains(",system,")).expect("a turn");
    // The untimed turn came before, so this is the second: 1.02 seconds.
    assert!(first.starts_with("test/fades,,") && first.contains(",0,1020000000,1020000000,"), "{first}");
    let points: Value =
        serde_json::from_str(&printed(&["report", path, "--view", "series", "--format", "json"])).expect("JSON");
    assert_eq!(points[0]["contenders"][0]["points"].as_array().map(Vec::len), Some(20));
    assert_eq!(points[0]["contenders"][0]["drift"]["pace"], "declining");
}

#[test]
fn a_record_without_them_says_so() {
    for (shown, hint) in [("requests", "serves requests"), ("scaling", "--sweep")] {
        for format in ["text", "table", "csv", "json"] {
            let reason = reason(&["report", OTHER_RECORD, "--view", shown, "--format", format], 4);
            assert!(reason.contains(hint), "{reason}");
        }
    }
    assert!(reason(&["report", OTHER_RECORD, "--view", "series", "--format", "page"], 2).contains("leave out --view"));
    let gains = printed(&["report", OTHER_RECORD, "--view", "sensitivity"]);
    assert!(gains.contains("graph/tree?live=200&threads=1"), "{gains}");
    assert!(printed(&["report", OTHER_RECORD, "--view", "series"]).contains("taking turns"));
}

#[test]
fn a_resumed_run_keeps_its_requests() {
    let stage = Stage::new();
    let record = std::fs::read_to_string(swept().record()).expect("the record is there");
    // Without its end, and without the row that completes its last block.
    let lines: Vec<&str> = record.lines().collect();
    let last_block = lines.iter().rposition(|line| line.starts_with(r#"{"row":"block""#)).expect("there are blocks");
    std::fs::write(stage.record(), lines[..last_block].join("\n") + "\n").expect("a file in a folder of our own");
    let path = stage.record();
    let mut arguments = vec!["run".to_owned(), "--resume".to_owned(), path.to_str().expect("UTF-8").to_owned()];
    arguments.extend(stage.workers());
    let output = heapmark(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), swept().printed, "as if nothing had happened");
}

//! The command as a user meets it: output, exit codes, bad input.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

fn heapmark(arguments: &[&str]) -> Output {
    Command::cargo_bin("heapmark").expect("the command is built").args(arguments).output().expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

/// The last line of standard error, which is where the reason stands.
fn reason(output: &Output) -> String {
    text(&output.stderr).lines().last().unwrap_or_default().to_owned()
}

#[test]
fn bad_requests_are_one_clear_line_and_a_code() {
    for (arguments, code, hint) in [
        (&["run", "-w", "no/such"][..], 4, "graph/tree"),
        (&["run", "-w", "tree", "--param", "depth=0"], 2, "depth"),
        (&["run", "-w", "tree", "--param", "depth=many"], 2, "depth"),
        (&["run", "-w", "tree", "--param", "a/b:c\"*=1"], 2, "a/b:c"),
        (&["run", "-w", "tree", "--threads", "0"], 2, "threads"),
        (&["run", "--reference", "nobody", "-w", "tree"], 2, "nobody"),
        (&["run", "--with", "nobody@a:1", "-w", "tree"], 2, "nobody"),
        (&["list", "a/b:c\"*"], 2, "graph/tree"),
        (&["run", "-w", "service/hello", "-w", "tree"], 2, "workers of their own"),
        (&["run", "--set", "service-quick", "--set", "default"], 2, "leave out default"),
        (&["build", "--list", "--family", "no/such"], 2, "there are: service"),
        (&["report", "no/such/file"], 1, "no/such/file"),
        (&["report", "Cargo.toml"], 1, "Cargo.toml"),
    ] {
        let output = heapmark(arguments);
        let reason = reason(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {reason}");
        assert!(reason.starts_with("heapmark: ") && reason.contains(hint), "{arguments:?}: {reason}");
        assert!(!text(&output.stderr).contains("panicked"), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}: results only go to standard output");
    }
}

#[test]
fn what_clap_refuses_is_usage_too() {
    for arguments in [
        &["run", "-w", "("][..],
        &["run", "--with", "a/b"],
        &["run", "--worker", "name"],
        &["run", "--worker", "mine=/no/such/worker"],
        &["run", "--worker", "mine=/dev/null"],
        &["run", "--resume", "no/such", "-a", "mimalloc"],
        &["run", "--param", "=x"],
        &["run", "--margin", "NaN"],
        &["run", "--blocks", "0"],
        &["frobnicate"],
    ] {
        let output = heapmark(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!text(&output.stderr).contains("panicked"), "{arguments:?}");
    }
}

#[test]
fn a_listing_has_every_backend_with_its_proof() {
    let output = heapmark(&["list", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let listing: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the listing is JSON");
    for (name, kind) in [
        ("system", "allocator"),
        ("mimalloc", "allocator"),
        ("jemalloc", "allocator"),
        ("snmalloc", "allocator"),
        ("rpmalloc", "allocator"),
        ("dlmalloc", "allocator"),
        ("rusty_alloc", "allocator"),
        ("talc", "allocator"),
        ("rlsf", "allocator"),
        ("sefer", "allocator"),
        ("counting", "counter"),
        ("handicap", "handicap"),
    ] {
        let all = listing["contenders"].as_array().expect("a list");
        let contender =
            all.iter().find(|contender| contender["name"] == name).unwrap_or_else(|| panic!("{name} is listed"));
        assert_eq!(contender["proof"], "api", "{name}");
        assert_eq!(contender["kind"], kind, "{name}");
        for key in ["crate_version", "upstream_version", "knobs"] {
            assert!(!contender[key].is_null(), "{name} lacks {key}");
        }
        assert_eq!(contender["status"], "ok", "{name}");
    }
    let apart = listing["contenders"].as_array().expect("a list").iter().find(|row| row["name"] == "mimalloc-secure");
    let apart = apart.expect("who lies apart is listed too");
    assert_eq!(apart["status"], "not-built", "and only built where it is named");
    assert!(apart["detail"].as_str().is_some_and(|detail| detail.contains("named")), "{apart}");
    let workloads = listing["workloads"].as_array().expect("a list");
    assert!(workloads.iter().any(|workload| workload["name"] == "json/lotofobjects"));
    assert!(workloads.iter().any(|workload| workload["name"] == "service/hello"), "of a family with its own workers");
    assert!(workloads.iter().all(|workload| !workload["parameters"].as_array().expect("a list").is_empty()));
}

#[test]
fn whoever_must_be_named_takes_part_only_then() {
    let takes_part = |arguments: &[&str]| {
        let others = "^(jemalloc|snmalloc|rpmalloc|rusty_alloc)$";
        let output = heapmark(&[&["run", "--list", "-w", "^graph/tree$", "-A", others], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        let plan = text(&output.stdout);
        let names: Vec<_> = plan.lines().filter_map(|line| line.split('\t').nth(1)).map(str::to_owned).collect();
        names
    };
    assert_eq!(takes_part(&[]), ["system", "system (twin)", "dlmalloc", "mimalloc"]);
    assert_eq!(takes_part(&["-a", "^handicap|counting$"]), ["system", "system (twin)", "handicap"]);
    assert_eq!(takes_part(&["-a", "handi"]), ["system", "system (twin)"], "a part of the name is no name");
    assert_eq!(
        takes_part(&["-a", "^mimalloc"]),
        ["system", "system (twin)", "mimalloc"],
        "and not those that lie apart"
    );
    let with = takes_part(&["-a", "^system$", "--with", "handicap@slowdown_pct:5"]);
    assert_eq!(with, ["system", "system (twin)", "handicap@slowdown_pct:5"]);
    let reference = "handicap@slowdown_pct:0";
    let with = takes_part(&["-a", "^mimalloc$", "--reference", reference]);
    assert_eq!(with, [reference, "handicap@slowdown_pct:0 (twin)", "mimalloc"]);
}

#[test]
fn a_family_has_its_own_workers_where_it_is_named() {
    let output = heapmark(&["build", "--list", "--family", "service"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(
        text(&output.stdout),
        "dlmalloc\nhandicap\njemalloc\nmimalloc\nrpmalloc\nrusty_alloc\nsnmalloc\nsystem\n"
    );
    let output = heapmark(&["run", "--list", "--set", "service/rpc-flood", "-a", "^mimalloc$", "--threads", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let plan = text(&output.stdout);
    assert_eq!(plan.lines().count(), 5 * 3, "{plan}");
    assert!(plan.starts_with("service/rpc?connections=13&threads=3\tsystem\t"), "{plan}");
}

#[test]
fn workers_of_the_package_around_the_folder_stand_for_themselves() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/own-workload/src");
    let here = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("heapmark").expect("the command is built");
        let output = command.args(arguments).current_dir(&folder).output().expect("the command runs");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(here(&["build", "--list"]), "words-mimalloc\nwords-system\n");
    let plan = here(&["run", "--list"]);
    let rows: Vec<_> = plan.lines().map(|line| line.split('\t').take(2).collect::<Vec<_>>()).collect();
    let names = ["words-system", "words-system (twin)", "words-mimalloc"];
    assert_eq!(rows, names.map(|name| ["own/words", name]));
    assert!(here(&["list", "own/words"]).contains("words of the text"));
}

#[test]
fn a_run_with_failures_is_complete_recorded_and_exits_with_1() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("odd name: \"*\".jsonl");
    let record = record.to_str().expect("UTF-8");
    let script = folder.path().join("dies");
    executable(&script, "#!/bin/sh\necho 'on purpose' >&2\nexit 7\n");
    let dies = format!("a/b: \"*\"={}", script.display());
    let arguments =
        ["run", "-w", "graph/tree", "-a", "^mimalloc$|a/b", "--worker", &dies, "--blocks", "1", "-o", record];
    let output = heapmark(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(table.contains("system") && table.contains("mimalloc"), "{table}");
    assert!(
        table.contains("a/b: \"*\"") && table.contains("failed to start") && table.contains("on purpose"),
        "{table}"
    );

    let shown = heapmark(&["report", record]);
    assert_eq!(shown.status.code(), Some(0));
    assert_eq!(text(&shown.stdout).trim(), table.trim(), "a record shows what the run showed");

    let again = heapmark(&arguments);
    assert_eq!(again.status.code(), Some(1), "a record is never overwritten");
    assert!(reason(&again).contains("odd name"), "{}", reason(&again));
}

#[test]
fn knobs_are_set_and_read_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("record.jsonl");
    let record = record.to_str().expect("UTF-8");
    let known = ["mimalloc@purge_delay:7", "rusty_alloc@purge_delay:7"];
    let with = ["--with", known[0], "--with", known[1], "--with", "mimalloc@no_such_knob:1"];
    let arguments = ["run", "-w", "graph/tree", "-a", "^system$", "--blocks", "1", "-o", record];
    let output = heapmark(&[&arguments[..], &with].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let rows = std::fs::read_to_string(record).expect("the record is there");
    let contender = |name: &str| {
        let rows = rows.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a row is JSON"));
        rows.into_iter().find(|row| row["row"] == "contender" && row["name"] == name).expect("the contender has a row")
    };
    for name in known {
        let knob = &contender(name)["identity"]["knobs"]["purge_delay"];
        assert_eq!((&knob["value"], &knob["confirmed"]), (&"7".into(), &true.into()), "{name}");
    }
    assert_eq!(contender("mimalloc@no_such_knob:1")["status"], "knob");
}

fn executable(path: &Path, content: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, content).expect("the script is written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it becomes executable");
}

#[test]
fn a_budget_without_room_for_a_block_is_a_failure_that_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("record.jsonl");
    let record = record.to_str().expect("UTF-8");
    let script = folder.path().join("script");
    executable(&script, "#!/no/such/interpreter\n");
    let gone = format!("gone={}", script.display());
    let arguments = ["run", "-w", "graph/tree", "-a", "^$", "--worker", &gone, "--budget", "1ms"];
    let output = heapmark(&[&arguments[..], &["-o", record]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("not one block fits into a budget of"), "{}", text(&output.stderr));
    let rows = std::fs::read_to_string(record).expect("the record is there");
    assert!(rows.contains("failed-to-start") || !rows.contains("\"gone\""), "who cannot start has its row: {rows}");
}

//! The record on disk is the record in memory, and neither is lost.

use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;

use heapmark::machine::Load;
use heapmark::record::{CountsRow, EndRow, PlanRow, Record, RecordFile, Row, SCHEMA, Sample};
use heapmark::{Arrangement, Bytes, Case, Comparison, Contender, Error, Session, Status};
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};

use crate::scene::{Scene, program, settings};
use crate::schema::Schema;

/// A run of sound and faulty contenders that is about to measure.
fn session(scene: &Scene, file: RecordFile) -> Result<Session, Error> {
    let knobs = [("depth", "1"), ("width", "2")].map(|(name, value)| (name.into(), value.into())).to_vec();
    let contenders = [
        Contender::plain(scene.worker("system", program!("sound"))),
        Contender::plain(scene.worker("a/b: \"c\"* \u{1F980}", program!("sound"))),
        Contender { knobs, ..Contender::plain(scene.worker("with knobs", program!("faulty-knobs"))) },
        Contender::plain(scene.worker("aborts", program!("faulty-aborts-at-work"))),
        Contender::plain(scene.worker("exits", program!("faulty-exits-at-work"))),
        Contender::plain(scene.worker("never starts", program!("faulty-aborts-at-first-allocation"))),
        Contender::plain(scene.worker("wrong", program!("faulty-dirty-zeroes"))),
    ];
    Comparison::new(contenders).settings(settings()).record(file).open(&mut |_| {})
}

/// Writes a whole record; what is in memory.
fn written(scene: &Scene, path: &Path) -> Record {
    let file = RecordFile::create(path, false).expect("a file in a folder of our own");
    let mut session = session(scene, file).expect("the reference is sound");
    for lanes in [1, 2] {
        session.measure(&Case::new("test/boxes").with("lanes", lanes), &mut |_| {}).expect("the case makes sense");
    }
    session.finish().expect("there is room on the disk");
    session.record().clone()
}

#[test]
fn a_record_is_read_as_it_was_written() {
    let scene = Scene::new();
    let path = scene.folder().join("a folder/run.jsonl");
    let record = written(&scene, &path);
    assert_eq!(Record::read(&path).expect("it was just written"), record);
    let knobs = &record.contenders.iter().find(|row| row.name == "with knobs").expect("it takes part").identity;
    let knobs = &knobs.as_ref().expect("it introduced itself").knobs;
    assert_eq!(knobs["depth"].value, "depth=1:width=2", "both knobs are in the variable that they share");
    assert!(!knobs["depth"].confirmed && knobs["stubborn"].confirmed);
    scene.assert_nothing_runs(1);
}

#[test]
fn every_line_of_a_record_is_what_the_schema_says() {
    let scene = Scene::new();
    let path = scene.folder().join("run.jsonl");
    written(&scene, &path);
    let counts = CountsRow {
        case: Case::new("test/boxes"),
        status: Status::Ok,
        units: 1,
        calls: u64::MAX,
        requested: Bytes(0),
        peak_live: None,
    };
    RecordFile::append_to(&path).and_then(|mut file| file.append(&Row::Counts(counts))).expect("the file is ours");
    let schema = Schema::read();
    assert_eq!(schema.id(), format!("urn:heapmark:record:{SCHEMA}"));
    let text = std::fs::read_to_string(&path).expect("it was just written");
    let rows: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    for row in &rows {
        schema.check(&row.to_string()).unwrap_or_else(|why| panic!("{why}, in {row}"));
    }
    for kind in ["run", "contender", "plan", "case", "sample", "block", "counts", "end"] {
        let row = rows.iter().find(|row| row["row"] == kind).unwrap_or_else(|| panic!("there is a row {kind:?}"));
        let refused = |change: fn(&mut serde_json::Value)| {
            let mut row = row.clone();
            change(&mut row);
            assert!(schema.check(&row.to_string()).is_err(), "{row}");
        };
        refused(|row| row["more"] = 1.into());
        refused(|row| row["row"] = "lunch".into());
        refused(|row| {
            let row = row.as_object_mut().expect("a row is an object");
            let key = row.keys().find(|key| *key != "row").cloned().expect("a row says something");
            row.remove(&key);
        });
        refused(|row| {
            let row = row.as_object_mut().expect("a row is an object");
            let value = row.iter_mut().find(|(key, _)| *key != "row").map(|(_, value)| value);
            *value.expect("a row says something") = true.into();
        });
    }
    scene.assert_nothing_runs(1);
}

#[test]
fn records_up_to_this_schema_are_read_and_newer_ones_refused() {
    let scene = Scene::new();
    let path = scene.folder().join("run.jsonl");
    let record = written(&scene, &path);
    let text = std::fs::read_to_string(&path).expect("it was just written");
    let read = |schema: u32| {
        let path = scene.folder().join("other.jsonl");
        let other = text.replacen(&format!("\"schema\":{SCHEMA}"), &format!("\"schema\":{schema}"), 1);
        std::fs::write(&path, other).expect("a file in a folder of our own");
        Record::read(&path).map_err(|error| error.to_string())
    };
    for older in 1..=SCHEMA {
        let mut read = read(older).expect("it is no newer");
        let run = read.run.as_mut().expect("a record has a run");
        assert_eq!(run.schema, older, "what wrote it is kept");
        run.schema = SCHEMA;
        assert_eq!(read, record);
    }
    let error = read(SCHEMA + 1).expect_err("it is newer");
    assert!(error.contains("use a newer heapmark") && !error.contains('\n'), "{error}");
    scene.assert_nothing_runs(1);
}

#[test]
fn every_status_is_read_as_it_was_written() {
    let detail = || "a \"detail\" with \\ and \u{1F980}".to_owned();
    let statuses = [
        Status::Ok,
        Status::NotBuilt { detail: detail() },
        Status::FailedToStart { detail: detail() },
        Status::ProtocolError { detail: detail() },
        Status::NoProof { detail: detail() },
        Status::DebugBuild { detail: detail() },
        Status::Knob { detail: detail() },
        Status::Refused { detail: detail() },
        Status::Signal { signal: 11, detail: detail() },
        Status::Exited { code: -1, detail: detail() },
        Status::Timeout { detail: detail() },
        Status::OutOfMemory { detail: detail() },
        Status::CeilingHit { detail: detail() },
        Status::WrongResult { detail: detail() },
    ];
    let scene = Scene::new();
    let mut record = written(&scene, &scene.folder().join("model.jsonl"));
    let path = scene.folder().join("all.jsonl");
    let mut file = RecordFile::create(&path, false).expect("a file in a folder of our own");
    let model = record.samples[0].clone();
    record.samples = (0..)
        .zip(statuses)
        .map(|(block, status)| Sample { block, status, checksum: u64::MAX, wall_ns: u64::MAX, ..model.clone() })
        .collect();
    let rows = std::iter::once(Row::Run(Box::new(record.run.clone().expect("a run"))))
        .chain(record.contenders.iter().cloned().map(|row| Row::Contender(Box::new(row))))
        .chain(std::iter::once(Row::Plan(PlanRow { cases: record.planned.clone() })))
        .chain(record.cases.iter().cloned().map(|row| Row::Case(Box::new(row))))
        .chain(record.samples.iter().cloned().map(|row| Row::Sample(Box::new(row))))
        .chain(record.blocks.iter().cloned().map(Row::Block))
        .chain(record.counts.iter().cloned().map(Row::Counts))
        .chain(record.end.clone().map(Row::End));
    for row in rows {
        file.append(&row).expect("there is room on the disk");
    }
    file.sync().expect("there is room on the disk");
    assert_eq!(Record::read(&path).expect("it was just written"), record);
    let schema = Schema::read();
    for line in std::fs::read_to_string(&path).expect("it was just read").lines() {
        schema.check(line).unwrap_or_else(|why| panic!("{why}, in {line}"));
    }
    scene.assert_nothing_runs(1);
}

#[test]
fn a_torn_last_line_is_left_out_and_anything_else_is_an_error_with_its_line() {
    let scene = Scene::new();
    let path = scene.folder().join("run.jsonl");
    let record = written(&scene, &path);
    let text = std::fs::read_to_string(&path).expect("it was just written");
    let read = |text: &str| {
        let path = scene.folder().join("changed.jsonl");
        std::fs::write(&path, text).expect("a file in a folder of our own");
        Record::read(&path).map_err(|error| {
            let error = error.to_string();
            assert!(error.starts_with(&path.display().to_string()) && !error.contains('\n'), "{error}");
            error
        })
    };
    // Torn at every length, the last row is missing and nothing else; with its line feed alone torn off, nothing is.
    let last = text.trim_end().rfind('\n').map_or(0, |end| end + 1);
    let without_end = Record { end: None, ..record.clone() };
    for length in last..text.len() {
        let expected = if length == text.len() - 1 { &record } else { &without_end };
        assert_eq!(read(&text[..length]).as_ref(), Ok(expected), "torn after {length} of {} bytes", text.len());
    }
    let lines: Vec<_> = text.lines().collect();
    let with = |index: usize, line: &str| {
        let mut lines = lines.clone();
        lines[index] = line;
        read(&(lines.join("\n") + "\n")).expect_err("the record is broken")
    };
    for (line, reason) in [
        ("garbage", "line 3 is not JSON"),
        (&lines[2][..20], "line 3 is not JSON"),
        ("", "line 3 is not JSON"),
        ("{}", "line 3 is not a row"),
        ("[1]", "line 3 is not a row"),
        (r#"{"row":"lunch"}"#, "line 3 is not a row"),
    ] {
        assert!(with(2, line).contains(reason), "{}", with(2, line));
    }
    assert!(with(lines.len() - 1, "garbage").contains(&format!("line {} is not JSON", lines.len())));
    let newer = lines[0].replacen("\"schema\":1", "\"schema\":2", 1);
    assert!(with(0, &newer).contains("it has schema 2, this heapmark knows up to 1; use a newer heapmark"));
    assert!(with(0, lines[1]).contains("not a heapmark record"));
    for nothing in ["", "\n", "{\"row\":\"run\""] {
        assert!(read(nothing).is_err(), "{nothing:?}");
    }
    scene.assert_nothing_runs(1);
}

#[test]
fn rows_that_cannot_stand_in_one_record_are_named_with_their_line() {
    let scene = Scene::new();
    let path = scene.folder().join("run.jsonl");
    let record = written(&scene, &path);
    let text = std::fs::read_to_string(&path).expect("it was just written");
    let read = |text: &str| {
        std::fs::write(&path, text).expect("a file in a folder of our own");
        Record::read(&path).map_err(|error| error.to_string())
    };
    let lines: Vec<_> = text.lines().collect();
    let first = |kind: &str| {
        let begin = format!("{{\"row\":\"{kind}\"");
        lines.iter().position(|line| line.starts_with(&begin)).expect("there is one")
    };
    let with_once_more = |kind: &str| {
        let mut lines = lines.clone();
        let index = first(kind);
        lines.insert(lines.len() - 1, lines[index]);
        (lines.len() - 1, lines.join("\n") + "\n")
    };
    for (kind, why) in [
        ("run", "begins another run: a record has one"),
        ("contender", "is a second row of the contender \"system\""),
        ("case", "is a second row of the case test/boxes?lanes=1"),
    ] {
        let (line, text) = with_once_more(kind);
        let error = read(&text).expect_err("a row would hide another");
        assert!(error.ends_with(&format!("line {line} {why}")), "{error}");
    }
    // A sample that is there again, as a resumed run writes it, counts once.
    let (_, doubled) = with_once_more("sample");
    assert_eq!(read(&doubled).expect("it is the same sample").samples.len(), record.samples.len());
    let mut strange = lines.clone();
    let sample = strange[first("sample")].replacen("\"contender\":\"", "\"contender\":\"not ", 1);
    strange.insert(first("sample") + 1, &sample);
    let error = read(&strange.join("\n")).expect_err("it would be shown nowhere");
    assert!(error.contains("is a sample of \"not ") && error.ends_with("which has no row before it"), "{error}");
    scene.assert_nothing_runs(1);
}

#[test]
fn marks_of_editors_and_of_other_systems_change_nothing() {
    let scene = Scene::new();
    let path = scene.folder().join("run.jsonl");
    let record = written(&scene, &path);
    let text = std::fs::read_to_string(&path).expect("it was just written");
    for changed in [text.replace('\n', "\r\n"), format!("\u{feff}{text}"), text.trim_end().to_owned()] {
        std::fs::write(&path, changed).expect("a file in a folder of our own");
        assert_eq!(Record::read(&path).as_ref().ok(), Some(&record));
    }
    scene.assert_nothing_runs(1);
}

#[test]
fn files_that_cannot_be_a_record_are_named() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("kept.jsonl");
    std::fs::write(&path, "precious").expect("a file in a folder of our own");
    let error = RecordFile::create(&path, false).expect_err("the file is there").to_string();
    assert_eq!(error, format!("cannot create {}: File exists (os error 17)", path.display()));
    assert_eq!(std::fs::read_to_string(&path).expect("the file is there"), "precious");
    let mut file = RecordFile::create(&path, true).expect("it may be replaced");
    assert_eq!(std::fs::read_to_string(&path).expect("the file is there"), "precious", "there is nothing better yet");
    file.append(&end()).expect("there is room on the disk");
    let text = std::fs::read_to_string(&path).expect("the file is there");
    assert!(text.starts_with('{') && text.ends_with("}\n"), "{text}");
    let error = RecordFile::create(&path, true).expect_err("one writes it already").to_string();
    assert_eq!(error, format!("{}: another heapmark is writing it", path.display()));
    drop(file);
    drop(RecordFile::create(&path, true).expect("nobody writes it any longer"));
    assert_eq!(std::fs::read_to_string(&path).expect("the file is there"), text, "a run without rows replaces nothing");
    let new = folder.path().join("new.jsonl");
    drop(RecordFile::create(&new, false).expect("a folder of our own"));
    assert!(!new.exists(), "a run without rows leaves no file");

    for (path, action) in [(folder.path().to_owned(), "cannot create"), (path.join("below a file"), "cannot create")] {
        let error = RecordFile::create(&path, true).expect_err("this is no place for a file").to_string();
        assert!(error.starts_with(action) && error.contains("kept.jsonl") | error.contains("directory"), "{error}");
    }
    let missing = folder.path().join("missing");
    let error = Record::read(&missing).expect_err("there is no such file").to_string();
    assert_eq!(error, format!("cannot read {}: No such file or directory (os error 2)", missing.display()));
}

/// A row.
fn end() -> Row {
    Row::End(EndRow { load: Load::default() })
}

#[test]
fn a_record_is_gone_on_with_behind_its_last_whole_row() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("run.jsonl");
    let row = serde_json::to_string(&end()).expect("a row is JSON");
    for (before, after) in [
        (String::new(), format!("{row}\n")),
        (row[..9].to_owned(), format!("{row}\n")),
        (format!("{row}\n"), format!("{row}\n{row}\n")),
        (row.clone(), format!("{row}\n{row}\n")),
        (format!("{row}\n{}", &row[..9]), format!("{row}\n{row}\n")),
    ] {
        std::fs::write(&path, &before).expect("a file in a folder of our own");
        let mut file = RecordFile::append_to(&path).expect("it is there");
        assert_eq!(std::fs::read_to_string(&path).expect("it is there"), before, "nothing changes before a row comes");
        file.append(&end()).expect("there is room on the disk");
        assert_eq!(std::fs::read_to_string(&path).expect("it is there"), after, "{before:?}");
    }
}

#[test]
fn a_full_disk_is_an_error_that_names_the_file() {
    let scene = Scene::new();
    let file = RecordFile::create("/dev/full", true).expect("it can be opened");
    let mut session = session(&scene, file).expect("the reference is sound");
    let error = session.measure(&Case::new("test/boxes"), &mut |_| {}).expect_err("nothing can be written").to_string();
    assert_eq!(error, "cannot write to /dev/full: No space left on device (os error 28)");
    assert!(session.record().samples.is_empty(), "it shows before anything is measured");
    scene.assert_nothing_runs(0);
}

#[test]
fn a_record_may_go_where_nothing_is_kept() {
    let scene = Scene::new();
    let file = RecordFile::create("/dev/null", true).expect("it can be opened");
    let mut session = session(&scene, file).expect("the reference is sound");
    session.measure(&Case::new("test/boxes"), &mut |_| {}).expect("what is no disk cannot be flushed, nor needs to be");
    session.finish().expect("as before");
    scene.assert_nothing_runs(1);
}

#[test]
fn what_was_measured_is_kept_in_memory_when_it_can_no_longer_be_written() {
    let scene = Scene::new();
    // A pipe takes rows as long as somebody may read it, and has room for the few that come before.
    let path = scene.folder().join("pipe");
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe in a folder of our own");
    let no_wait = i32::try_from(OFlags::NONBLOCK.bits()).expect("a flag of open(2)");
    let reader = std::fs::File::options().read(true).custom_flags(no_wait).open(&path).expect("the pipe is ours");
    let mut reader = Some(reader);
    let file = RecordFile::create(&path, true).expect("somebody reads");
    let mut session = session(&scene, file).expect("the reference is sound");
    let entrants = session.record().contenders.len();
    let error = session.measure(&Case::new("test/boxes"), &mut |event| {
        if let heapmark::Event::Block { block: 1, .. } = event {
            reader = None;
        }
    });
    let error = error.expect_err("nobody reads any longer").to_string();
    assert_eq!(error, format!("cannot write to {}: Broken pipe (os error 32)", path.display()));

    let record = session.record();
    let of = |block: u32| record.samples.iter().filter(move |sample| sample.block == block);
    assert_eq!(of(0).filter(|sample| sample.status.is_ok()).count(), 2 * 4, "the sound ones and the twin, twice");
    assert_eq!(of(0).filter(|sample| !sample.status.is_ok()).count(), entrants - 4, "a row for each of the others");
    assert_eq!(of(1).count(), 4, "a sample that is over is kept, even where one before it could not be written");
    assert!(
        record.is_complete(&Case::new("test/boxes"), 1, Arrangement::Turns),
        "and it counts: its block was measured"
    );
    scene.assert_nothing_runs(1);
}

#[test]
fn a_row_that_did_not_fit_leaves_no_torn_line_behind() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("run.jsonl");
    let output = Command::new(program!("full-disk")).arg(&path).output().expect("the program was built");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let rows: usize = String::from_utf8_lossy(&output.stdout).trim().parse().expect("it prints a number");
    Record::read(&path).expect("every line is whole");
    let text = std::fs::read_to_string(&path).expect("it was just read");
    assert_eq!(text.lines().count(), rows);
    assert!(text.ends_with("}\n") && text.len() > 4000, "the last row came when there was room again");
}

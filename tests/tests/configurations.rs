//! The ready-made configurations, and huge pages of a process, on the backends themselves.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use heapmark::configuration::{Configuration, Member, READY_MADE};
use heapmark::record::{ContenderRow, Record};
use heapmark::{
    Arrangement, Case, Comparison, Contender, ContenderName, Settings, Worker, Workspace, machine::Machine,
};

const BACKENDS: [&str; 3] = ["system", "jemalloc", "mimalloc"];

/// The backends that there are configurations of, built once.
fn workers() -> &'static [Worker] {
    static WORKERS: OnceLock<Vec<Worker>> = OnceLock::new();
    WORKERS.get_or_init(|| {
        let workspace = Workspace::find().expect("the tests lie in the workspace");
        workspace.build(|name| BACKENDS.contains(&name)).expect("Cargo runs")
    })
}

fn contender(name: &ContenderName) -> Contender {
    Contender::resolve(name, workers()).expect("its backend is built")
}

/// What became of contenders that introduced themselves beside the system allocator, by name.
fn introduced(names: &[ContenderName]) -> BTreeMap<String, ContenderRow> {
    let system = ContenderName { backend: "system".into(), knobs: Vec::new() };
    let contenders = std::iter::once(&system).chain(names).map(contender);
    let settings = Settings { twin: false, ..Settings::smoke() };
    let session =
        Comparison::new(contenders).settings(settings).open(&mut |_| {}).expect("the system allocator serves");
    session.record().contenders.iter().map(|row| (row.name.clone(), row.clone())).collect()
}

fn named(text: &str) -> ContenderName {
    ContenderName::parse(text).expect("it is a contender")
}

#[test]
fn every_ready_made_contender_takes_its_knobs() {
    let mut names: Vec<ContenderName> = Vec::new();
    for set in READY_MADE.iter().filter(|set| set.name != "thp-advised") {
        for member in Configuration::default().contender_set(set.name).expect("it is there") {
            match member {
                Member::One(name) => names.push(name),
                Member::All { knobs } => names
                    .extend(BACKENDS.map(|backend| ContenderName { backend: backend.into(), knobs: knobs.clone() })),
            }
        }
    }
    names.sort_by_key(ToString::to_string);
    names.dedup();
    let rows = introduced(&names);
    for name in &names {
        let row = &rows[&name.to_string()];
        let identity = row.identity.as_ref().unwrap_or_else(|| panic!("{name}: {}", row.status));
        for (knob, value) in &name.knobs {
            let read = &identity.knobs[knob];
            // glibc cannot be asked; what stands there is its variable.
            assert!(if read.confirmed { read.value == *value } else { read.value.contains(value) }, "{name}: {read:?}");
        }
    }
    assert_eq!(rows.len(), names.len() + 1);
}

#[test]
fn huge_pages_are_switched_off_for_a_process_and_nobody_else() {
    let names = ["system", "system@thp:never", "mimalloc", "mimalloc@thp:never"].map(named);
    let comparison = Comparison::new(names.iter().map(contender)).settings(Settings::smoke());
    let mut session = comparison.open(&mut |_| {}).expect("the system allocator serves");
    session.measure(&Case::new("graph/tree").with("threads", 1), &mut |_| {}).expect("the case makes sense");
    let record: &Record = session.record();
    for name in &names {
        let name = name.to_string();
        let row = record.contenders.iter().find(|row| row.name == name).expect("everyone has a row");
        let identity = row.identity.as_ref().unwrap_or_else(|| panic!("{name}: {}", row.status));
        let samples = || record.samples.iter().filter(|sample| sample.contender == name);
        assert!(samples().count() == 2 && samples().all(|sample| sample.status.is_ok()), "{name}");
        let alone = samples().find(|sample| sample.arrangement == Arrangement::Alone);
        let huge = alone.and_then(|sample| sample.memory["worked"].huge).map(|bytes| bytes.0);
        println!("{name}: {huge:?} bytes in huge pages");
        match identity.knobs.get("thp") {
            Some(knob) => {
                assert!(name.ends_with("never") && knob.value == "never" && knob.confirmed, "{name}: {knob:?}");
                assert!(huge.is_none_or(|bytes| bytes == 0), "{name} has {huge:?}");
            }
            None => assert!(!name.contains('@'), "{name}"),
        }
    }
}

#[test]
fn what_the_host_or_the_kernel_cannot_give_is_a_row_with_the_reason() {
    let rows = introduced(&["system@thp:always", "system@thp:advised", "system@thp:sometimes"].map(named));
    let mode = Machine::read().thp;
    let file = "/sys/kernel/mm/transparent_hugepage/enabled";
    let (always, advised) = (&rows["system@thp:always"], &rows["system@thp:advised"]);
    match mode.as_deref() {
        Some("always") => assert!(always.status.is_ok(), "{}", always.status),
        _ => assert!(always.status.label() == "knob did not take" && always.status.detail().contains(file)),
    }
    match &advised.identity {
        Some(identity) => assert_eq!(identity.knobs["thp"].value, "advised"),
        None => assert!(["6.18", file].iter().any(|reason| advised.status.detail().contains(reason))),
    }
    let sometimes = &rows["system@thp:sometimes"].status;
    assert_eq!(sometimes.detail(), "thp:sometimes is none of host, never, advised, always");
}

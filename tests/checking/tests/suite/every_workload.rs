//! Every workload over every backend.

use std::collections::BTreeSet;

use heapmark_checking::{Line, Phase, variants};
use heapmark_workloads::small::{SMALL, Small};

use crate::programs::{Errand, in_parallel, programs, root};

/// What the others are held against.
const REFERENCE: &str = "system";

/// Backends that have no program: one is the system allocator with counters, the other one with a loss.
const NOT_CHECKED: [&str; 2] = ["counting", "handicap"];

/// What a backend says that it cannot do, where a workload asks for it; with which parameter it does not, and how it ends with none.
const LIMITS: &[(&str, &str, &str, &str)] = &[(
    "rpmalloc",
    "memory/alignment",
    "alignment=4096",
    "refused: alloc of 8192 bytes aligned to 2097152: there is no block",
)];

/// Workloads that leave something behind on purpose when they are dropped.
const LEAVES: &[&str] = &["memory/burst-and-idle"];

/// Workloads that call the allocator in no turn.
fn is_quiet(name: &str) -> bool {
    name == "graph/aged" || name.starts_with("control/")
}

/// Workloads of which not all that is alive follows from seed and turns.
struct Loose {
    workloads: &'static [&'static str],
    /// From how many threads on.
    threads: u64,
    /// The last phase of which that is so.
    last: Phase,
    /// By how much two runs can differ.
    bytes: u64,
    blocks: u64,
}

const LOOSE: &[Loose] = &[
    // Threads of their own that need not have begun before they have work, of which the first turn, a unit, has little. Before that the
    // standard library has a box of 24 bytes for each, and behind it a place in a tree of stacks, whose nodes have 544 and 640.
    Loose {
        workloads: &[
            "classic/larson",
            "classic/mstress",
            "memory/hand-off",
            "memory/free-only",
            "memory/sleeping-owner",
        ],
        threads: 1,
        last: Phase::Turn(1),
        bytes: 9 * 24 + 2 * 544 + 640,
        blocks: 9 + 3,
    },
    // The same, of a thread of each lane that may never have any.
    Loose { workloads: &["classic/glibc-simple"], threads: 1, last: Phase::Turn(3), bytes: 3 * 24, blocks: 3 },
    // Which object a task finds in the table, and so frees or keeps, is chance, and few are much larger than others: one in a hundred of up to
    // 50 KB, one in a thousand of up to 500 KB. There are thirty places, and three tasks have 120 objects.
    Loose { workloads: &["classic/mstress"], threads: 2, last: Phase::Turn(3), bytes: 2 << 20, blocks: 150 },
    // Which block stays in a place is chance. There are twenty of up to 1,040 bytes.
    Loose { workloads: &["classic/slot-table"], threads: 2, last: Phase::Turn(3), bytes: 20 * 1040, blocks: 0 },
    // What rayon's queues have outgrown is freed some time later, and what its threads leave behind by the threads of the next pool:
    // two blocks for each of them and some of the queues. Most trees and documents have more.
    Loose {
        workloads: &["graph/fork-join", "json/pool"],
        threads: 1,
        last: Phase::Dropped,
        bytes: 48 << 10,
        blocks: 20,
    },
];

/// The backends, the reference first.
fn backends() -> Vec<&'static str> {
    let others = programs().keys().map(String::as_str).filter(|name| *name != REFERENCE && *name != "broken");
    std::iter::once(REFERENCE).chain(others).collect()
}

#[test]
fn every_backend_has_a_program() {
    let folders = std::fs::read_dir(root().join("allocators")).expect("the backends lie there");
    let folders = folders.filter_map(|entry| entry.ok().filter(|entry| entry.path().is_dir()));
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    let names: BTreeSet<_> = names.filter(|name| !NOT_CHECKED.contains(&name.as_str())).collect();
    assert_eq!(names, backends().into_iter().map(str::to_owned).collect());
}

/// A workload on all backends, or on two, with the same parameters.
fn errands() -> Vec<Errand<'static>> {
    let mut errands = Vec::new();
    for small in SMALL {
        for (index, backend) in (0_u8..).zip(backends()) {
            // Each fills blocks with another number: what reads it comes to another checksum.
            let fill = 17 * (index + 1);
            let limit = LIMITS.iter().find(|(limited, workload, ..)| (*limited, *workload) == (backend, small.name()));
            let errand = |backend, fixed| Errand { backend, workload: small.name(), fill, fixed, fault: None };
            if let Some((_, _, without, _)) = limit {
                let fixed = std::slice::from_ref(without);
                errands.push(Errand { fill: !fill, ..errand(REFERENCE, fixed) });
                errands.push(errand(backend, fixed));
            }
            errands.push(errand(backend, &[]));
        }
    }
    errands
}

#[test]
fn every_workload_does_the_same_on_every_backend_and_nothing_is_wrong() {
    let errands = errands();
    let results = in_parallel(&errands, Errand::run);
    let mut complaints = Vec::new();
    for (errand, result) in errands.iter().zip(&results) {
        let is_reference =
            |other: &Errand| (other.backend, other.workload, other.fixed) == (REFERENCE, errand.workload, errand.fixed);
        let reference = errands.iter().position(is_reference).and_then(|index| results[index].as_ref().ok());
        let who = format!("{} on {} {:?}", errand.workload, errand.backend, errand.fixed);
        complaints.extend(about(errand, result, reference).into_iter().map(|complaint| format!("{who}: {complaint}")));
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

/// What is wrong with what came of an errand.
fn about(errand: &Errand, result: &Result<Vec<Line>, String>, reference: Option<&Vec<Line>>) -> Vec<String> {
    let is_limited = |limit: &&(&str, &str, &str, &str)| {
        (limit.0, limit.1) == (errand.backend, errand.workload) && errand.fixed.is_empty()
    };
    let lines = match (result, LIMITS.iter().find(is_limited)) {
        (Err(error), Some((.., end))) if error.ends_with(end) => return Vec::new(),
        (Ok(_), Some((.., end))) => return vec![format!("it does not end with {end}")],
        (Err(error), _) => return vec![error.clone()],
        (Ok(lines), None) => lines,
    };
    let small = SMALL.iter().find(|small| small.name() == errand.workload).expect("it is from the table");
    let mut complaints = wrong(small, errand, lines);
    // Where the reference itself has failed, that is said of it.
    let pairs = lines.iter().zip(reference.into_iter().flatten());
    let differing = pairs.filter(|(line, other)| differs(small.name(), line, other));
    complaints.extend(differing.map(|(line, other)| format!("{line}\n{REFERENCE}: {other}")));
    complaints
}

/// What is wrong with what a program said, taken by itself.
fn wrong(small: &Small, errand: &Errand, lines: &[Line]) -> Vec<String> {
    let settings = |text: &&str| text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    let fixed: Vec<_> = errand.fixed.iter().filter_map(settings).collect();
    let texts: Vec<String> = variants::of(small.workload.about(), &fixed).iter().map(|v| variants::text(v)).collect();
    let turns = small.turns.iter().zip(1..).map(|(units, number)| (Phase::Turn(number), *units));
    let phases: Vec<_> = std::iter::once((Phase::Prepared, 0)).chain(turns).chain([(Phase::Dropped, 0)]).collect();
    let expected: Vec<_> = texts
        .iter()
        .flat_map(|text| phases.iter().map(move |(phase, units)| (text.as_str(), *phase, *units)))
        .collect();
    let said: Vec<_> = lines.iter().map(|line| (line.variant.as_str(), line.phase, line.tally.count)).collect();
    let mut complaints = Vec::new();
    if said != expected {
        complaints.push(format!("{said:?} is not {expected:?}"));
    }
    for line in lines {
        let is_turn = matches!(line.phase, Phase::Turn(_));
        // Where a turn is of one unit, nothing may have been freed and read yet.
        if is_turn && line.tally.count > 1 && line.tally.checksum == 0 {
            complaints.push(format!("nothing was read: {line}"));
        }
        if is_turn && is_quiet(small.name()) && line.calls > 0 {
            complaints.push(format!("it is to call no allocator: {line}"));
        }
        if line.phase == Phase::Dropped && !LEAVES.contains(&small.name()) {
            let (bytes, blocks) = slack(small.name(), line);
            if line.bytes.unsigned_abs() > bytes || line.blocks.unsigned_abs() > blocks {
                complaints.push(format!("something is left: {line}"));
            }
        } else if line.phase == Phase::Dropped && line.blocks == 0 {
            complaints.push(format!("nothing is left: {line}"));
        }
    }
    complaints
}

/// By how many bytes and blocks two runs may differ.
fn slack(workload: &str, line: &Line) -> (u64, u64) {
    let threads =
        line.variant.split(' ').find_map(|setting| setting.strip_prefix("threads=")?.parse().ok()).unwrap_or(1);
    let is_so =
        |loose: &&Loose| loose.workloads.contains(&workload) && threads >= loose.threads && line.phase <= loose.last;
    let most = |(bytes, blocks): (u64, u64), loose: &Loose| (bytes.max(loose.bytes), blocks.max(loose.blocks));
    LOOSE.iter().filter(is_so).fold((0, 0), most)
}

/// Whether two runs do not come to the same.
fn differs(workload: &str, line: &Line, other: &Line) -> bool {
    let (bytes, blocks) = slack(workload, line);
    (&line.variant, line.phase, line.tally) != (&other.variant, other.phase, other.tally)
        || line.bytes.abs_diff(other.bytes) > bytes
        || line.blocks.abs_diff(other.blocks) > blocks
}

//! What a control does to a run: who differs where nobody can is not called in what it differs in, and nobody else is touched.

use heapmark::record::{BlockRow, ContenderRow, Record, Role, Sample, Turns};
use heapmark::stats::Verdict;
use heapmark::{Arrangement, Bytes, Case, Metric, Outcome, Quantity, Status, judgements, view};

const MIB: u64 = 1 << 20;

/// What a contender needs in one case.
#[derive(Clone, Copy)]
struct Needs {
    name: &'static str,
    /// CPU and wall time of a turn.
    ns: u64,
    start: u64,
    peak: u64,
}

impl Needs {
    const fn of(name: &'static str, ns: u64, start: u64, peak: u64) -> Self {
        Self { name, ns, start, peak }
    }
}

fn role(name: &str) -> Role {
    match name {
        "system" => Role::Reference,
        "system (twin)" => Role::Twin,
        _ => Role::Contender,
    }
}

/// A record of eight blocks of these cases, in which times scatter by a per mille.
fn record(cases: &[(&str, [Needs; 4])]) -> Record {
    let mut record = Record::default();
    for Needs { name, .. } in cases[0].1 {
        let (backend, set, identity) = (name.to_owned(), Vec::new(), None);
        let name = name.to_owned();
        let row = ContenderRow { role: role(&name), name, status: Status::Ok, backend, set, identity };
        record.contenders.push(row);
    }
    for (workload, contenders) in cases {
        let case = Case::new(*workload);
        for block in 0..8 {
            for arrangement in [Arrangement::Turns, Arrangement::Alone] {
                for (index, needs) in contenders.iter().enumerate() {
                    // A different sign for everyone, block by block.
                    let scatter = needs.ns / 1000 * (u64::from(block * 3 + u32::try_from(index).unwrap()) % 7);
                    let ns = needs.ns + scatter;
                    record.samples.push(Sample {
                        units: 10,
                        wall_ns: ns,
                        user_ns: ns,
                        start_rss: Some(Bytes(needs.start)),
                        peak_rss: Some(Bytes(needs.peak)),
                        turns: Turns {
                            wall_ns: vec![ns],
                            user_ns: vec![ns],
                            system_ns: vec![0],
                            idle_cpu_ns: vec![0],
                            ..Turns::default()
                        },
                        ..Sample::new(case.clone(), needs.name, role(needs.name), block, arrangement)
                    });
                }
                let (wall_ns, timed_ns) = (1, 1);
                record.blocks.push(BlockRow { case: case.clone(), block, arrangement, wall_ns, timed_ns });
            }
        }
    }
    record
}

/// Everyone needs the same, the third so many ns and bytes more.
fn needs(ns: u64, start: u64, peak: u64, more_ns: u64, more_start: u64, more_peak: u64) -> [Needs; 4] {
    [
        Needs::of("system", ns, start, peak),
        Needs::of("system (twin)", ns, start, peak),
        Needs::of("odd", ns + more_ns, start + more_start, peak + more_peak),
        Needs::of("even", ns, start, peak),
    ]
}

/// In a real workload everyone is different from the reference.
const REAL: [Needs; 4] = [
    Needs::of("system", 1_000_000, MIB, 100 * MIB),
    Needs::of("system (twin)", 1_000_000, MIB, 100 * MIB),
    Needs::of("odd", 1_300_000, MIB, 150 * MIB),
    Needs::of("even", 700_000, MIB, 150 * MIB),
];

fn verdicts(outcome: &Outcome, workload: &str, contender: &str) -> [Verdict; 3] {
    let contender = outcome.case(workload).and_then(|case| case.contender(contender)).expect("it took part");
    [Metric::Cpu, Metric::Wall, Metric::PeakRss]
        .map(|metric| contender.compared(metric).expect("it was compared").verdict)
}

#[test]
fn where_nobody_differs_in_a_control_everything_is_called() {
    let outcome =
        Outcome::of(&record(&[("control/compute", needs(1_000_000, MIB, 65 * MIB, 0, 0, 0)), ("graph/x", REAL)]));
    assert_eq!(outcome.alarms, []);
    assert_eq!(verdicts(&outcome, "control/compute", "odd"), [Verdict::Same; 3]);
    assert_eq!(verdicts(&outcome, "graph/x", "odd"), [Verdict::Slower, Verdict::Slower, Verdict::Fatter]);
    assert_eq!(verdicts(&outcome, "graph/x", "even"), [Verdict::Faster, Verdict::Faster, Verdict::Fatter]);
}

#[test]
fn where_no_control_took_part_that_is_said() {
    let even = needs(1_000_000, MIB, 65 * MIB, 0, 0, 0);
    for (cases, expected) in
        [(vec![("graph/x", REAL)], true), (vec![("graph/x", REAL), ("control/compute", even)], false)]
    {
        let outcome = Outcome::of(&record(&cases));
        for shown in [view::text(&outcome, &view::Screen::default()), view::notes(&outcome).join("\n")] {
            assert_eq!(shown.contains("No control took part"), expected, "{shown}");
        }
    }
    let nothing = Outcome { cases: Vec::new(), ..Outcome::of(&record(&[("graph/x", REAL)])) };
    assert!(view::notes(&nothing).is_empty(), "nor is it where there is nothing");
}

#[test]
fn who_differs_in_time_in_a_control_is_called_in_no_time_elsewhere() {
    let odd = needs(1_000_000, MIB, 65 * MIB, 50_000, 0, 0);
    let outcome = Outcome::of(&record(&[("graph/x", REAL), ("control/compute", odd)]));
    let alarms: Vec<_> = outcome.alarms.iter().map(|a| (a.contender.as_str(), a.metric, a.verdict)).collect();
    assert_eq!(alarms, [("odd", Metric::Wall, Verdict::Slower), ("odd", Metric::Cpu, Verdict::Slower)]);
    assert_eq!(verdicts(&outcome, "control/compute", "odd"), [Verdict::Slower, Verdict::Slower, Verdict::Same]);
    assert_eq!(verdicts(&outcome, "graph/x", "odd"), [Verdict::Unclear, Verdict::Unclear, Verdict::Fatter]);
    assert_eq!(verdicts(&outcome, "graph/x", "even"), [Verdict::Faster, Verdict::Faster, Verdict::Fatter]);

    let rows = judgements(&outcome, "r", &[Quantity::Cpu, Quantity::PeakRss]);
    let alarmed: Vec<_> = rows.iter().filter(|row| row.alarmed).map(|row| (&*row.workload, &*row.contender)).collect();
    assert_eq!(alarmed, [("graph/x", "odd")], "the control itself is called");
    for shown in [view::text(&outcome, &view::Screen::default()), view::notes(&outcome).join("\n")] {
        assert!(
            shown.contains("control/compute: compared with system, odd is called slower in wall and slower in CPU"),
            "{shown}"
        );
        assert!(shown.contains("not to be trusted"), "{shown}");
    }
}

#[test]
fn memory_in_a_control_is_compared_above_each_workers_own_start() {
    let with = |more_peak: u64| {
        let odd = needs(1_000_000, 2 * MIB, 66 * MIB, 0, 5 * MIB, more_peak);
        Outcome::of(&record(&[("control/hash", odd), ("graph/x", REAL)]))
    };
    let outcome = with(5 * MIB);
    assert_eq!((outcome.alarms.len(), verdicts(&outcome, "control/hash", "odd")), (0, [Verdict::Same; 3]));
    let outcome = with(15 * MIB);
    assert_eq!((outcome.alarms.len(), outcome.alarms[0].metric), (1, Metric::PeakRss));
    assert_eq!(verdicts(&outcome, "graph/x", "odd"), [Verdict::Slower, Verdict::Slower, Verdict::Unclear]);
}

/// Of eight blocks here one lies on the other side, which is a difference of one pair (2 × 2 of 256 sign patterns) and none of one
/// among ten.
#[test]
fn the_more_pairs_there_are_the_stronger_the_evidence_has_to_be() {
    let odd = needs(1_000_000, MIB, 65 * MIB, 50_000, 0, 0);
    let even = needs(1_000_000, MIB, 65 * MIB, 0, 0, 0);
    let controls: Vec<String> = (0..4).map(|index| format!("control/{index}")).collect();
    let mut cases = vec![("graph/x", REAL), ("control/compute", odd)];
    cases.extend(controls.iter().map(|name| (name.as_str(), even)));
    let mut record = record(&cases);
    for sample in &mut record.samples {
        if (sample.case.workload.as_str(), sample.contender.as_str(), sample.block) == ("control/compute", "odd", 3) {
            let ns = 1_000_000;
            (sample.wall_ns, sample.user_ns) = (ns, ns);
            (sample.turns.wall_ns, sample.turns.user_ns) = (vec![ns], vec![ns]);
        }
    }
    let outcome = Outcome::of(&record);
    assert_eq!(outcome.alarms, []);
    assert_eq!(verdicts(&outcome, "control/compute", "odd"), [Verdict::Unclear, Verdict::Unclear, Verdict::Same]);
    assert_eq!(verdicts(&outcome, "graph/x", "odd"), [Verdict::Slower, Verdict::Slower, Verdict::Fatter]);
}

//! A worker that fails is a row with its status: the rest of the run is complete, and nothing stays running.

use std::time::Duration;

use heapmark::{Bytes, Case, Comparison, Contender, Limits, Outcome, view};
use rustix::process::{Signal, kill_process};

use crate::scene::{Scene, program, settings};

/// A worker, what is asked of it, and what must come of it.
struct Fault {
    program: &'static str,
    knobs: &'static [(&'static str, &'static str)],
    lanes: u64,
    limits: Limits,
    memory_limit: Option<Bytes>,
    /// Whether it is killed from outside once it is stuck.
    killed: bool,
    /// The label of its status.
    label: &'static str,
    /// What its detail says, among other things.
    detail: &'static str,
}

/// Short limits, for workers that must run into them.
fn short() -> Limits {
    let limit = Duration::from_secs(3);
    Limits { start: limit, prepare: limit, turn: limit, finish: limit }
}

fn fault(program: &'static str, label: &'static str, detail: &'static str) -> Fault {
    let limits = Limits::default();
    Fault { program, knobs: &[], lanes: 1, limits, memory_limit: None, killed: false, label, detail }
}

impl Fault {
    /// Runs the worker between two sound ones, and looks at everything that comes out.
    fn check(self) {
        let mut scene = Scene::new();
        let sound = program!("sound");
        let faulty = Contender {
            knobs: self.knobs.iter().map(|&(name, value)| (name.into(), value.into())).collect(),
            ..Contender::plain(scene.worker("faulty", self.program))
        };
        let contenders = [
            Contender::plain(scene.worker("system", sound)),
            faulty,
            Contender::plain(scene.worker("bystander", sound)),
        ];
        let settings = heapmark::Settings { limits: self.limits, memory_limit: self.memory_limit, ..settings() };
        let case = Case::new("test/boxes").with("lanes", self.lanes);
        let run = || {
            let comparison = Comparison::new(contenders).settings(settings.clone());
            let mut session = comparison.open(&mut |_| {}).expect("the reference is sound");
            session.measure(&case, &mut |_| {}).expect("a failure of a worker is no failure of the run");
            session.finish().expect("nothing is written");
            session.record().clone()
        };
        let record = std::thread::scope(|scope| {
            let run = scope.spawn(run);
            if self.killed {
                let life = scene.wait_until_stuck();
                kill_process(life.pid, Signal::KILL).expect("it runs, and is ours");
            }
            run.join().expect("the run does not panic")
        });
        scene.assert_nothing_runs(1);

        let outcome = Outcome::of(&record);
        let outcome = outcome.case("test/boxes").expect("the case was measured");
        let status = &outcome.contender("faulty").expect("the row is there").status;
        assert_eq!(status.label(), self.label, "{status}");
        assert!(status.detail().contains(self.detail), "{status}");
        assert!(!status.to_string().contains(char::is_control), "{:?} is not one line", status.to_string());

        let complete = settings.blocks().unwrap_or_default() as usize * settings.arrangements.len();
        for name in ["system", "system (twin)", "bystander"] {
            let samples: Vec<_> = record.samples.iter().filter(|sample| sample.contender == name).collect();
            assert_eq!(samples.len(), complete, "samples of {name}");
            assert!(samples.iter().all(|sample| sample.status.is_ok()), "{name}: {samples:?}");
        }
        assert!(record.end.is_some());
        let bystander = outcome.contender("bystander").expect("the row is there");
        assert!(bystander.throughput.is_some() && bystander.cpu.is_some() && bystander.memory.is_some());

        let notes = view::notes(&Outcome::of(&record));
        let about_it = notes.iter().filter(|note| note.starts_with("faulty in ")).count();
        assert_eq!(about_it, usize::from(!status.is_ok()), "{notes:?}");
        let rows: Vec<_> = record.samples.iter().filter(|sample| sample.contender == "faulty").collect();
        let failures = rows.iter().filter(|sample| !sample.status.is_ok()).count();
        assert_eq!(failures, usize::from(!status.is_ok()), "it is not tried again after its failure");
        assert!(status.is_ok() || !rows[rows.len() - 1].status.is_ok(), "nothing comes after its failure");
    }
}

/// One test for each line: the worker's program, the label of its status, and a part of the detail.
macro_rules! faults {
    ($($name:ident: $program:literal => $label:literal, $detail:literal $(, $field:ident = $value:expr)*;)+) => {
        $(#[test]
        fn $name() {
            Fault { $($field: $value,)* ..fault(program!($program), $label, $detail) }.check();
        })+
    };
}

faults! {
    aborts_at_first_allocation: "faulty-aborts-at-first-allocation" => "failed to start", "killed by SIGABRT: starting";
    hangs_at_first_allocation: "faulty-hangs-at-first-allocation" => "timed out", "starting: no answer within 3s", limits = short();
    crashes_at_work: "faulty-crashes-at-work" => "killed by SIGSEGV", "working";
    aborts_at_work: "faulty-aborts-at-work" => "killed by SIGABRT", "working";
    hangs_at_work: "faulty-hangs-at-work" => "timed out", "working: no answer within 3s", limits = short();
    killed_at_work: "faulty-hangs-at-work" => "killed by SIGKILL", "working; in its first turn", killed = true;
    needs_too_much_memory: "faulty-hoards" => "ceiling hit", " resident, where 100 MiB are allowed", memory_limit = Some(Bytes(100 << 20));
    exits_at_work: "faulty-exits-at-work" => "exited with 3", "working";
    aborts_at_drop: "faulty-aborts-at-drop" => "killed by SIGABRT", "dropping everything";
    wrong_checksum: "faulty-dirty-zeroes" => "wrong result", "where system has";
    wrong_count: "faulty-miscounts" => "wrong result", "were asked for";
    no_time: "faulty-no-time" => "protocol error", "units took no time at all";
    negative_time: "faulty-negative-time" => "protocol error", "wall_ns=\"-5\" is not a number";
    panics_in_the_only_lane: "faulty-panics-in-first-lane" => "killed by SIGABRT", "working: the first of 1 lanes gives up";
    panics_in_the_first_lane: "faulty-panics-in-first-lane" => "killed by SIGABRT", "working: the first of 4 lanes gives up", lanes = 4;
    panics_in_the_last_lane: "faulty-panics-in-last-lane" => "killed by SIGABRT", "working: lane 3 gives up", lanes = 4;
    no_proof: "faulty-no-proof" => "no proof", "another allocator answers";
    talks_garbage: "faulty-talks-garbage" => "protocol error", "starting: not a message";
    endless_line: "faulty-endless-line" => "protocol error", "starting: a line of more than 16384 bytes";
    older_protocol: "faulty-older-protocol" => "protocol error", "it speaks protocol 0, this is protocol 1";
    newer_protocol: "faulty-newer-protocol" => "protocol error", "it speaks protocol 2, this is protocol 1";
    closes_channel: "faulty-closes-channel" => "protocol error", "it closed the channel but went on running";
    says_nothing: "faulty-says-nothing" => "timed out", "starting: no answer within 3s", limits = short();
    out_of_order: "faulty-out-of-order" => "protocol error", "preparing the workload: it answered `phase`";
    answers_twice: "faulty-answers-twice" => "protocol error", "it answered `turned`";
    latency_twice: "faulty-latency-twice" => "protocol error", "dropping everything: it answered `latency`";
    endless_catalogue: "faulty-endless-catalogue" => "protocol error", "listing its workloads: an answer of more than 10000 lines";
    offers_twice: "faulty-offers-twice" => "protocol error", "listing its workloads: it offers test/boxes twice";
    empty_range: "faulty-empty-range" => "protocol error", "listing its workloads: test/boxes has lanes from 2 to 1, which is nothing";
    no_lanes: "faulty-no-lanes" => "protocol error", "preparing the workload: it works on no lane";
    dawdles: "faulty-dawdles" => "timed out", "listing its workloads: no answer within 3s", limits = short();
    noisy: "faulty-noisy" => "ok", "";
    never_silent: "faulty-never-silent" => "timed out", "working: no answer within 3s", limits = short();
    leaves_a_child: "faulty-leaves-a-child" => "ok", "";
    dies_leaving_a_child: "faulty-dies-leaving-a-child" => "killed by SIGABRT", "working";
    lacks_a_workload: "faulty-lacks-a-workload" => "refused", "no workload is named \"test/boxes\"; there are test/touch";
    refuses: "faulty-refuses" => "refused", "first";
    stubborn_knob: "faulty-knobs" => "knob did not take", "stubborn was set to \"1\" through TEST_STUBBORN, but reads \"0\"",
        knobs = &[("stubborn", "1")];
    unknown_knob: "faulty-knobs" => "knob did not take", "has no knob \"colour\"; it has stubborn, depth, width, left, right",
        knobs = &[("colour", "blue")];
    knobs_without_a_joiner: "faulty-knobs" => "knob did not take", "right shares the variable TEST_SIDE with another knob",
        knobs = &[("left", "1"), ("right", "2")];
    joined_knobs: "faulty-knobs" => "ok", "", knobs = &[("width", "2"), ("depth", "1")];
}

//! A harness that is killed takes its workers with it, whatever state they are in.

use std::process::{Command, Stdio};

use crate::scene::{Scene, program};

/// Starts a harness in a process of its own on these workers, kills it once a worker is stuck, and sees everyone go.
fn kill_the_harness(programs: &[&str], at_least: usize) {
    let mut scene = Scene::new();
    let mut harness = Command::new(program!("long-run"))
        .args(programs.iter().map(|program| scene.program(program)))
        .stdin(Stdio::null())
        .spawn()
        .expect("the program was built");
    scene.wait_until_stuck();
    // `SIGKILL`, which leaves the harness no time to do anything.
    harness.kill().expect("it is ours");
    harness.wait().expect("it is ours");
    scene.assert_nothing_runs(at_least);
}

#[test]
fn workers_at_work_or_waiting_for_their_turn_end_with_their_harness() {
    // Both introduce themselves, the sound one calibrates, then it, its twin and the other are alive together.
    kill_the_harness(&[program!("sound"), program!("faulty-hangs-at-work")], 6);
}

#[test]
fn a_worker_that_hangs_before_its_main_function_ends_with_its_harness() {
    kill_the_harness(&[program!("faulty-hangs-at-first-allocation")], 1);
}

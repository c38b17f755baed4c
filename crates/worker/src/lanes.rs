//! Runs the lanes of a job: one on the main thread, the others on threads of their own, all released together.
//!
//! With as many threads as cores, a thread that only coordinates would compete with the work; so the main thread is the
//! first lane. A workload with one lane runs in a program with one thread, as it would in real life (glibc, for one, skips
//! its locks there).

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::clock::Reading;
use crate::workload::{Job, Tally, Turn};

/// What the lanes are told to do next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Wait,
    Work { units: u64 },
    Leave,
}

struct State {
    order: Order,
    /// Counts the orders, so that a lane knows whether it has followed the current one.
    generation: u64,
    /// Lanes (without the first) that are still busy with the current order, or with getting ready.
    busy: usize,
    tally: Tally,
}

/// Where the lanes wait for orders, and the first lane waits for them.
struct Gate {
    state: Mutex<State>,
    ordered: Condvar,
    done: Condvar,
}

impl Gate {
    fn new(others: usize) -> Self {
        let state = State { order: Order::Wait, generation: 0, busy: others, tally: Tally::default() };
        Self { state: Mutex::new(state), ordered: Condvar::new(), done: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives an order to all lanes but the first.
    fn order(&self, order: Order, others: usize) {
        let mut state = self.lock();
        state.order = order;
        state.generation += 1;
        state.busy = others;
        state.tally = Tally::default();
        drop(state);
        self.ordered.notify_all();
    }

    /// Waits until every lane but the first is done; their tallies added up.
    fn wait(&self) -> Tally {
        let mut state = self.lock();
        while state.busy > 0 {
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.tally
    }

    /// A lane reports that it is done, and waits for the next order.
    fn next_order(&self, seen: &mut u64, done: Tally) -> Order {
        let mut state = self.lock();
        state.tally = state.tally.combined(done);
        state.busy -= 1;
        if state.busy == 0 {
            self.done.notify_one();
        }
        while state.generation == *seen {
            state = self.ordered.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        *seen = state.generation;
        state.order
    }
}

/// Ends the whole process when its thread panics: the other lanes may wait for this one, at the gate or inside the
/// workload, and would wait for ever. The panic's message is on standard error by then, and the harness sees the worker die.
struct AbortOnPanic;

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}

/// The lanes of a job, all ready and waiting.
pub(crate) struct Team<'a> {
    gate: &'a Gate,
    first: Box<dyn crate::workload::Lane + 'a>,
    lanes: usize,
}

impl Team<'_> {
    /// Does one turn. The clocks are read before the lanes are released and after the last one has finished: with as many
    /// threads as cores, a clock read after the release could lose half of the turn.
    pub(crate) fn turn(&mut self, units: u64) -> (Reading, Reading, Tally) {
        let others = self.lanes - 1;
        let before = Reading::before();
        if others > 0 {
            self.gate.order(Order::Work { units }, others);
        }
        let mine = self.first.turn(&Turn { units, lanes: self.lanes, lane: 0 });
        let tally = if others > 0 { mine.combined(self.gate.wait()) } else { mine };
        (before, Reading::after(), tally)
    }
}

/// Starts the lanes of `job`, hands the team to `use_them`, then drops every lane on its own thread and joins the threads.
pub(crate) fn with_team<T>(job: &dyn Job, use_them: impl FnOnce(&mut Team<'_>) -> T) -> T {
    let lanes = job.lanes().max(1);
    let others = lanes - 1;
    let gate = Gate::new(others);
    std::thread::scope(|scope| {
        // In here, since the scope waits for the other lanes before a panic of this one leaves it.
        let _guard = AbortOnPanic;
        let start = |lane| {
            let gate = &gate;
            scope.spawn(move || {
                let _guard = AbortOnPanic;
                let mut work = job.lane(lane);
                let mut seen = 0;
                let mut tally = Tally::default();
                loop {
                    match gate.next_order(&mut seen, tally) {
                        Order::Work { units } => tally = work.turn(&Turn { units, lanes, lane }),
                        Order::Wait => tally = Tally::default(),
                        Order::Leave => break,
                    }
                }
            })
        };
        let threads: Vec<_> = (1..lanes).map(start).collect();
        let mut team = Team { gate: &gate, first: job.lane(0), lanes };
        gate.wait();
        let result = use_them(&mut team);
        drop(team);
        gate.order(Order::Leave, others);
        // The scope waits until the lanes have returned, and their threads can still be giving back what an allocator keeps for
        // each: memory is read next, and rpmalloc crashes where the program exits meanwhile.
        for thread in threads {
            let _ = thread.join();
        }
        result
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::workload::Lane;

    struct Counted {
        lanes: usize,
        dropped: AtomicU64,
    }
    struct CountedLane<'a>(&'a Counted, usize);

    impl Job for Counted {
        fn lanes(&self) -> usize {
            self.lanes
        }
        fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
            Box::new(CountedLane(self, index))
        }
    }
    impl Lane for CountedLane<'_> {
        fn turn(&mut self, turn: &Turn) -> Tally {
            assert_eq!(turn.lane, self.1);
            let mut tally = Tally::default();
            for _ in 0..turn.share() {
                tally.add(self.1 as u64);
            }
            tally
        }
    }
    impl Drop for CountedLane<'_> {
        fn drop(&mut self) {
            self.0.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn every_turn_is_whole_and_every_lane_is_dropped() {
        for lanes in [1, 2, 3, 8, 33] {
            let job = Counted { lanes, dropped: AtomicU64::new(0) };
            with_team(&job, |team| {
                for units in [0, 1, 7, 100, 1001] {
                    let (before, after, tally) = team.turn(units);
                    assert_eq!(tally.count, units);
                    assert!(after.wall_ns >= before.wall_ns);
                    let shares = (0..lanes).map(|lane| Turn { units, lanes, lane }.share() * lane as u64);
                    assert_eq!(tally.checksum, shares.sum::<u64>());
                }
            });
            assert_eq!(job.dropped.load(Ordering::Relaxed), lanes as u64);
        }
    }
}

//! Threads that work in place of a lane, one after the other.
//!
//! In long-running servers threads end and others go on with what they have left. A lane's own thread cannot end before
//! the sample does, so it has a deputy: a thread that does the lane's turns and, after a number of units, is joined and
//! replaced by a new one, which finds everything where its predecessor has left it. While the deputy works, the lane's
//! thread sleeps.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use heapmark_worker::Tally;

use crate::lock::locked;

/// Work that goes from thread to thread.
pub(crate) trait Shift: Send + 'static {
    /// Does so many units.
    fn work(&mut self, units: u64) -> Tally;
}

/// A lane's work and the threads that do it.
pub(crate) struct Relay<S: Shift> {
    /// Absent while a deputy has it.
    shift: Option<S>,
    deputy: Option<Deputy<S>>,
    /// Units that one thread does; 0 if the lane's own thread does everything.
    generation: u64,
    /// Units that the present thread has left to do.
    left: u64,
}

impl<S: Shift> Relay<S> {
    /// Work for threads that do `generation` units each, or for the lane's own thread if that is 0. The first thread is
    /// started.
    pub(crate) fn new(shift: S, generation: u64) -> Self {
        let deputy = (generation > 0).then(Deputy::start);
        Self { shift: Some(shift), deputy, generation, left: generation }
    }

    /// Does so many units, on as many threads as that takes.
    pub(crate) fn work(&mut self, units: u64) -> Tally {
        let mut tally = Tally::default();
        let mut to_do = units;
        while to_do > 0 {
            let mut shift = self.shift.take().expect("a deputy gives back what it was given");
            if self.generation == 0 {
                tally = tally.combined(shift.work(to_do));
                to_do = 0;
            } else {
                if self.left == 0 {
                    // The old one is joined before the new one starts, so that there are never more of them than lanes.
                    self.deputy = None;
                    self.left = self.generation;
                }
                let deputy = self.deputy.get_or_insert_with(Deputy::start);
                let units = to_do.min(self.left);
                let done;
                (shift, done) = deputy.have_done(shift, units);
                tally = tally.combined(done);
                self.left -= units;
                to_do -= units;
            }
            self.shift = Some(shift);
        }
        tally
    }
}

/// A thread that waits for work of one kind.
struct Deputy<S> {
    desk: Arc<Desk<S>>,
    thread: Option<JoinHandle<()>>,
}

/// Where work is left for the other side.
struct Desk<S> {
    folder: Mutex<Folder<S>>,
    changed: Condvar,
}

enum Folder<S> {
    Empty,
    ToDo(S, u64),
    Done(S, Tally),
    /// The thread is to end.
    Leave,
}

impl<S> Desk<S> {
    fn put(&self, folder: Folder<S>) {
        *locked(&self.folder) = folder;
        // One side waits at most: the other has just put something there.
        self.changed.notify_one();
    }

    /// Waits until `wanted` knows what to do with what is there.
    fn wait<T>(&self, wanted: impl Fn(Folder<S>) -> Result<T, Folder<S>>) -> T {
        let mut folder = locked(&self.folder);
        loop {
            match wanted(std::mem::replace(&mut *folder, Folder::Empty)) {
                Ok(taken) => return taken,
                Err(other) => *folder = other,
            }
            folder = self.changed.wait(folder).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<S: Shift> Deputy<S> {
    fn start() -> Self {
        let desk = Arc::new(Desk { folder: Mutex::new(Folder::Empty), changed: Condvar::new() });
        let theirs = Arc::clone(&desk);
        let thread = std::thread::spawn(move || {
            let _guard = AbortOnPanic;
            let order = |folder: Folder<S>| match folder {
                Folder::ToDo(shift, units) => Ok(Some((shift, units))),
                Folder::Leave => Ok(None),
                other => Err(other),
            };
            while let Some((mut shift, units)) = theirs.wait(order) {
                let tally = shift.work(units);
                theirs.put(Folder::Done(shift, tally));
            }
        });
        Self { desk, thread: Some(thread) }
    }

    fn have_done(&self, shift: S, units: u64) -> (S, Tally) {
        self.desk.put(Folder::ToDo(shift, units));
        self.desk.wait(|folder| match folder {
            Folder::Done(shift, tally) => Ok((shift, tally)),
            other => Err(other),
        })
    }
}

impl<S> Drop for Deputy<S> {
    fn drop(&mut self) {
        self.desk.put(Folder::Leave);
        if let Some(thread) = self.thread.take() {
            // It cannot have panicked: that would have ended the process.
            let _ = thread.join();
        }
    }
}

/// Ends the process when its thread panics: whoever waits for it would wait for ever.
pub(crate) struct AbortOnPanic;

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread::{self, ThreadId};

    use super::*;

    /// Notes which thread did each unit.
    struct Noted(Vec<ThreadId>);

    impl Shift for Noted {
        fn work(&mut self, units: u64) -> Tally {
            let mut tally = Tally::default();
            for _ in 0..units {
                self.0.push(thread::current().id());
                tally.add(self.0.len() as u64);
            }
            tally
        }
    }

    /// The units that each thread did in a row, for turns of these units.
    fn spans(generation: u64, turns: &[u64]) -> Vec<usize> {
        let mut relay = Relay::new(Noted(Vec::new()), generation);
        for units in turns {
            assert_eq!(relay.work(*units).count, *units);
        }
        let done = relay.shift.take().unwrap().0;
        assert!(generation == 0 || !done.contains(&thread::current().id()));
        done.chunk_by(|left, right| left == right).map(<[_]>::len).collect()
    }

    #[test]
    fn a_thread_does_its_units_whatever_the_turns() {
        assert_eq!(spans(5, &[12]), [5, 5, 2]);
        assert_eq!(spans(5, &[1, 3, 0, 1, 7]), [5, 5, 2]);
        assert_eq!(spans(5, &[5, 5]), [5, 5]);
        assert_eq!(spans(1, &[3]), [1, 1, 1]);
        assert_eq!(spans(0, &[3, 4]), [7], "the lane itself");
        assert_eq!(spans(3, &[]), [0; 0]);
    }

    #[test]
    fn a_relay_without_work_ends() {
        drop(Relay::new(Noted(Vec::new()), 3));
    }
}

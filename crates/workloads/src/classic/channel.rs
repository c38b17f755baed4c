//! A bounded channel from some threads to one, whose end is that of a turn.

use std::sync::{Condvar, Mutex, PoisonError};

use crate::lock::locked;

/// A channel with room for so many things, made beforehand. Who sends waits where there is no room, who receives where
/// there is nothing: nobody spins, and nothing is allocated.
pub(super) struct Channel<T> {
    state: Mutex<State<T>>,
    filled: Condvar,
    emptied: Condvar,
    capacity: usize,
    senders: usize,
}

struct State<T> {
    things: Vec<T>,
    /// Senders that have sent everything in this turn.
    closed: usize,
}

impl<T> Channel<T> {
    /// A channel from so many senders.
    pub(super) fn new(senders: usize, capacity: usize) -> Self {
        Self {
            state: Mutex::new(State { things: Vec::with_capacity(capacity), closed: 0 }),
            filled: Condvar::new(),
            emptied: Condvar::new(),
            capacity,
            senders,
        }
    }

    /// What [`Channel::receive`] needs: an empty list with room for all that can wait.
    pub(super) fn room(&self) -> Vec<T> {
        Vec::with_capacity(self.capacity)
    }

    /// Sends all of `things`.
    pub(super) fn send(&self, things: &mut Vec<T>) {
        while !things.is_empty() {
            let mut state = locked(&self.state);
            while state.things.len() == self.capacity {
                state = self.emptied.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let fits = things.len().min(self.capacity - state.things.len());
            state.things.extend(things.drain(..fits));
            drop(state);
            self.filled.notify_one();
        }
    }

    /// Says that this sender has sent everything in this turn.
    pub(super) fn close(&self) {
        locked(&self.state).closed += 1;
        self.filled.notify_one();
    }

    /// Receives all that waits, into an empty list. `false` at the end of the turn: all senders have closed, and
    /// nothing is left.
    pub(super) fn receive(&self, into: &mut Vec<T>) -> bool {
        let mut state = locked(&self.state);
        loop {
            if !state.things.is_empty() {
                std::mem::swap(&mut state.things, into);
                drop(state);
                self.emptied.notify_all();
                return true;
            }
            if state.closed == self.senders {
                state.closed = 0;
                return false;
            }
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn everything_arrives_in_its_turn() {
        for (senders, capacity) in [(1, 1), (1, 100), (3, 1), (3, 7), (16, 64)] {
            let channel = Channel::new(senders, capacity);
            let gate = Barrier::new(senders + 1);
            std::thread::scope(|scope| {
                for _ in 0..senders {
                    scope.spawn(|| {
                        for turn in 0..10 {
                            gate.wait();
                            let mut numbers: Vec<_> = (0..turn * 5).collect();
                            channel.send(&mut numbers);
                            channel.close();
                        }
                    });
                }
                let mut into = channel.room();
                let made = into.capacity();
                for turn in 0..10 {
                    gate.wait();
                    let mut received = Vec::new();
                    while channel.receive(&mut into) {
                        received.append(&mut into);
                    }
                    received.sort_unstable();
                    let sent: Vec<i32> =
                        (0..turn * 5).flat_map(|number| std::iter::repeat_n(number, senders)).collect();
                    assert_eq!(received, sent);
                }
                assert_eq!(into.capacity(), made, "the channel never grows");
            });
        }
    }
}

//! A thread that does what it is asked and waits in between, without calling the allocator while it waits.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::lock::locked;
use crate::relay::AbortOnPanic;

/// A thread that turns one thing into another, once for each time it is asked. It ends when this is dropped.
pub(crate) struct Helper<T> {
    desk: Arc<Desk<T>>,
    thread: Option<JoinHandle<()>>,
}

/// Where things are put for the other side.
struct Desk<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

enum State<T> {
    Nothing,
    Asked(T),
    Answered(T),
    Leave,
}

impl<T> Desk<T> {
    fn put(&self, state: State<T>) {
        *locked(&self.state) = state;
        // One side waits at most: the other has just put something there.
        self.changed.notify_one();
    }

    /// Takes what is there as soon as `wanted` knows what to do with it.
    fn take<R>(&self, wanted: impl Fn(State<T>) -> Result<R, State<T>>) -> R {
        let mut state = locked(&self.state);
        loop {
            match wanted(std::mem::replace(&mut *state, State::Nothing)) {
                Ok(taken) => return taken,
                Err(other) => *state = other,
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<T: Send + 'static> Helper<T> {
    /// Starts the thread.
    pub(crate) fn start(mut work: impl FnMut(T) -> T + Send + 'static) -> Self {
        let desk = Arc::new(Desk { state: Mutex::new(State::Nothing), changed: Condvar::new() });
        let theirs = Arc::clone(&desk);
        let thread = std::thread::spawn(move || {
            let _guard = AbortOnPanic;
            let asked = |state| match state {
                State::Asked(thing) => Ok(Some(thing)),
                State::Leave => Ok(None),
                other => Err(other),
            };
            while let Some(thing) = theirs.take(asked) {
                let answer = work(thing);
                theirs.put(State::Answered(answer));
            }
        });
        Self { desk, thread: Some(thread) }
    }
}

impl<T> Helper<T> {
    /// Gives the thread something to do, and does not wait for it.
    pub(crate) fn ask(&self, thing: T) {
        self.desk.put(State::Asked(thing));
    }

    /// Waits for what has come of it.
    pub(crate) fn answer(&self) -> T {
        self.desk.take(|state| match state {
            State::Answered(thing) => Ok(thing),
            other => Err(other),
        })
    }

    /// Gives the thread something to do, and waits for what comes of it.
    pub(crate) fn have(&self, thing: T) -> T {
        self.ask(thing);
        self.answer()
    }
}

impl<T> Drop for Helper<T> {
    fn drop(&mut self) {
        self.desk.put(State::Leave);
        if let Some(thread) = self.thread.take() {
            // It cannot have panicked: that would have ended the process.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_answered_in_order_on_one_other_thread() {
        let me = std::thread::current().id();
        let helper = Helper::start(move |number: u64| {
            assert_ne!(std::thread::current().id(), me);
            number + 1
        });
        assert_eq!((0..100).map(|number| helper.have(number)).collect::<Vec<_>>(), (1..=100).collect::<Vec<_>>());
        helper.ask(7);
        assert_eq!(helper.answer(), 8);
    }

    #[test]
    fn the_thread_has_ended_with_all_it_holds_when_the_helper_is_dropped() {
        let held = Arc::new(());
        let theirs = Arc::clone(&held);
        let helper = Helper::start(move |number: u64| number + Arc::strong_count(&theirs) as u64);
        assert_eq!(helper.have(0), 2);
        drop(helper);
        assert_eq!(Arc::strong_count(&held), 1);
    }
}

//! Things handed from each lane to the next one: bounded, by the dozen, without allocating.
//!
//! The lanes form a ring. What a lane gives is collected until it is worth a lock, then goes into the inbox of its
//! successor. Where there is no room, it first takes what has come for itself, which makes room elsewhere; and parks
//! where that is nothing either. At the end of its turn a lane says that it has given everything, and takes until its
//! predecessor has said so too: so nothing is on its way between turns, and what a turn adds up to does not depend on
//! who was fast.

use std::sync::{Mutex, OnceLock};
use std::thread::{self, Thread};

use crate::lock::locked;

/// How many things are collected before they are handed on.
const BULK: usize = 32;

/// The inboxes of all lanes.
pub(crate) struct Ring<T> {
    inboxes: Box<[Inbox<T>]>,
    /// Things that wait in one inbox at most.
    capacity: usize,
}

struct Inbox<T> {
    post: Mutex<Post<T>>,
    /// The thread that empties it.
    owner: OnceLock<Thread>,
}

struct Post<T> {
    things: Vec<T>,
    /// How many turns the predecessor has given everything in.
    turns_closed: u64,
}

impl<T> Ring<T> {
    /// A ring of so many lanes; at most `capacity` things wait between two of them.
    pub(crate) fn new(lanes: usize, capacity: usize) -> Self {
        let inbox = |_| Inbox {
            post: Mutex::new(Post { things: Vec::with_capacity(capacity), turns_closed: 0 }),
            owner: OnceLock::new(),
        };
        Self { inboxes: (0..lanes).map(inbox).collect(), capacity }
    }

    /// The place of lane `lane`, whose thread this must be.
    pub(crate) fn link(&self, lane: usize) -> Link<'_, T> {
        // A lane is made once.
        let _ = self.inboxes[lane].owner.set(thread::current());
        let lanes = self.inboxes.len();
        Link {
            inbox: &self.inboxes[lane],
            successor: &self.inboxes[(lane + 1) % lanes],
            predecessor: &self.inboxes[(lane + lanes - 1) % lanes],
            capacity: self.capacity,
            outgoing: Vec::with_capacity(BULK.min(self.capacity)),
            arrived: Vec::with_capacity(self.capacity),
            turns: 0,
        }
    }
}

impl<T> Inbox<T> {
    fn wake_owner(&self) {
        if let Some(owner) = self.owner.get() {
            owner.unpark();
        }
    }
}

/// One lane's place in the ring.
pub(crate) struct Link<'a, T> {
    inbox: &'a Inbox<T>,
    successor: &'a Inbox<T>,
    predecessor: &'a Inbox<T>,
    capacity: usize,
    outgoing: Vec<T>,
    /// What is being taken, while new things arrive in the inbox.
    arrived: Vec<T>,
    /// Turns in which this lane has given everything.
    turns: u64,
}

impl<T> Link<'_, T> {
    /// Hands a thing to the next lane, and passes what has arrived meanwhile to `take` if that needs room.
    #[inline]
    pub(crate) fn give(&mut self, thing: T, take: impl FnMut(T)) {
        self.outgoing.push(thing);
        if self.outgoing.len() == self.outgoing.capacity() {
            self.hand_over(take);
        }
    }

    /// Ends a turn: hands over what is left, and passes to `take` all that the predecessor gives in this turn.
    pub(crate) fn finish(&mut self, mut take: impl FnMut(T)) {
        self.hand_over(&mut take);
        self.turns += 1;
        locked(&self.successor.post).turns_closed = self.turns;
        self.successor.wake_owner();
        loop {
            // In this order: the predecessor gives first, then says that it has. It may be a turn ahead: a handicapped lane
            // does turns of its own between those that are ordered.
            let closed = locked(&self.inbox.post).turns_closed >= self.turns;
            let progress = self.take_what_arrived(&mut take);
            if closed {
                return;
            }
            if !progress {
                thread::park();
            }
        }
    }

    /// Hands over everything, and takes what arrives where there is no room.
    fn hand_over(&mut self, mut take: impl FnMut(T)) {
        while !self.hand_over_what_fits() {
            if !self.take_what_arrived(&mut take) {
                // A wake-up since the last look is remembered by the thread's token, so none is lost.
                thread::park();
            }
        }
    }

    /// Whether nothing is left to hand over.
    fn hand_over_what_fits(&mut self) -> bool {
        let mut post = locked(&self.successor.post);
        let fits = self.outgoing.len().min(self.capacity - post.things.len());
        post.things.extend(self.outgoing.drain(..fits));
        drop(post);
        if fits > 0 {
            self.successor.wake_owner();
        }
        self.outgoing.is_empty()
    }

    /// Whether anything had arrived.
    fn take_what_arrived(&mut self, take: impl FnMut(T)) -> bool {
        std::mem::swap(&mut locked(&self.inbox.post).things, &mut self.arrived);
        if self.arrived.is_empty() {
            return false;
        }
        self.predecessor.wake_owner();
        self.arrived.drain(..).for_each(take);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    /// Every lane gives `given[lane]` numbers in each of some turns; what each takes is checked against its
    /// predecessor's.
    fn run(capacity: usize, given: &[u64]) {
        let lanes = given.len();
        let ring = Ring::new(lanes, capacity);
        let gate = Barrier::new(lanes);
        thread::scope(|scope| {
            for lane in 0..lanes {
                let (ring, gate) = (&ring, &gate);
                scope.spawn(move || {
                    let mut link = ring.link(lane);
                    let made = link.arrived.capacity();
                    for turn in 0..20 {
                        gate.wait();
                        let mut taken = Vec::new();
                        for number in 0..given[lane] {
                            link.give((turn, number), |thing| taken.push(thing));
                        }
                        link.finish(|thing| taken.push(thing));
                        let sent = given[(lane + lanes - 1) % lanes];
                        assert_eq!(taken, (0..sent).map(|number| (turn, number)).collect::<Vec<_>>());
                        assert_eq!(link.arrived.capacity(), made, "inboxes never grow");
                    }
                });
            }
        });
    }

    #[test]
    fn everything_arrives_in_its_turn_and_in_order() {
        for capacity in [1, 2, 31, 32, 33, 1000] {
            for given in [&[100][..], &[1000, 0], &[0, 0, 0], &[5, 500, 50], &[77; 16]] {
                run(capacity, given);
            }
        }
    }
}

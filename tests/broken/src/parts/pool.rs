//! Slots of one size, side by side.

use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::{lock, map};

/// Slots of one size in one mapping, fresh ones in the order of their addresses, used ones last in, first out.
///
/// All bookkeeping lies outside of the mapping, so that a fault in the use of the slots hurts what the program keeps in its
/// blocks, and nothing else.
pub(crate) struct Pool {
    slot_size: usize,
    start: AtomicPtr<u8>,
    state: Mutex<State>,
}

struct State {
    /// Slots that were ever taken.
    fresh: usize,
    /// Numbers of the slots that were given back, as far as `given` says.
    returned: [usize; Pool::SLOTS],
    given: usize,
}

impl Pool {
    /// How many slots there are.
    pub(crate) const SLOTS: usize = 16 * 1024;

    #[expect(clippy::large_stack_arrays, reason = "pools are statics, and this makes their initial value")]
    pub(crate) const fn new(slot_size: usize) -> Self {
        let state = State { fresh: 0, returned: [0; Self::SLOTS], given: 0 };
        Self { slot_size, start: AtomicPtr::new(ptr::null_mut()), state: Mutex::new(state) }
    }

    /// A slot; null where there is none.
    pub(crate) fn take(&self) -> *mut u8 {
        let mut state = lock(&self.state);
        if let Some(given) = state.given.checked_sub(1) {
            state.given = given;
            return self.slot(state.returned[given]);
        }
        if self.start().is_null() {
            self.start.store(map(self.slot_size * Self::SLOTS), Ordering::Release);
        }
        if self.start().is_null() || state.fresh == Self::SLOTS {
            return ptr::null_mut();
        }
        state.fresh += 1;
        self.slot(state.fresh - 1)
    }

    /// Gives a slot back.
    pub(crate) fn give(&self, block: *mut u8) {
        let Some(slot) = self.number(block) else { return };
        let mut state = lock(&self.state);
        let given = state.given;
        // Room for more than all of them is needed only where one was given back twice.
        if let Some(place) = state.returned.get_mut(given) {
            *place = slot;
            state.given += 1;
        }
    }

    /// The number of the slot that an address lies in; nothing for an address of somebody else's.
    pub(crate) fn number(&self, block: *const u8) -> Option<usize> {
        let start = self.start();
        let slot = block.addr().checked_sub(start.addr())? / self.slot_size;
        (!start.is_null() && slot < Self::SLOTS).then_some(slot)
    }

    /// Where the slots begin, and how many bytes of them were ever taken.
    pub(crate) fn used(&self) -> (*mut u8, usize) {
        (self.start(), lock(&self.state).fresh * self.slot_size)
    }

    /// The size of a slot.
    pub(crate) fn slot_size(&self) -> usize {
        self.slot_size
    }

    /// The slot of this number, once one was taken.
    pub(crate) fn slot(&self, number: usize) -> *mut u8 {
        self.start().wrapping_add(number * self.slot_size)
    }

    fn start(&self) -> *mut u8 {
        self.start.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_lie_side_by_side_and_are_used_again() {
        static POOL: Pool = Pool::new(48);
        let outside = Box::new(0_u8);
        assert_eq!(POOL.number(&raw const *outside), None);
        let (first, second) = (POOL.take(), POOL.take());
        assert_eq!(second.addr() - first.addr(), 48);
        assert_eq!([first, second, second.wrapping_add(47)].map(|block| POOL.number(block)), [0, 1, 1].map(Some));
        assert_eq!(POOL.number(&raw const *outside), None);
        POOL.give(first);
        POOL.give(second);
        assert_eq!((POOL.take(), POOL.take()), (second, first));
        assert_eq!(POOL.used(), (first, 96));
    }

    #[test]
    fn it_ends() {
        static POOL: Pool = Pool::new(16);
        assert!((0..Pool::SLOTS).all(|_| !POOL.take().is_null()));
        assert!(POOL.take().is_null());
    }
}

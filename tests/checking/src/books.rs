//! The books of live blocks.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::aside::aside;
use crate::fault::Wrong;

/// What is alive, and how many calls it took to come there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Bytes that were asked for and have not been given back.
    pub bytes: u64,
    /// Blocks of which that holds.
    pub blocks: u64,
    /// Calls that took, resized or gave back a block.
    pub calls: u64,
}

/// Every live block by its address.
pub(crate) struct Books {
    pages: Mutex<Pages>,
}

struct Pages {
    live: BTreeMap<usize, Layout>,
    held: Held,
}

impl Books {
    pub(crate) const fn new() -> Self {
        let held = Held { bytes: 0, blocks: 0, calls: 0 };
        Self { pages: Mutex::new(Pages { live: BTreeMap::new(), held }) }
    }

    fn open(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is alive now.
    pub(crate) fn held(&self) -> Held {
        self.open().held
    }

    /// Counts a call.
    pub(crate) fn count(&self) {
        self.open().held.calls += 1;
    }

    /// Writes down a block, unless it shares bytes with one that is there.
    pub(crate) fn enter(&self, start: usize, layout: Layout) -> Result<(), Wrong> {
        let mut pages = self.open();
        let end = start.saturating_add(layout.size());
        // Those that are there share nothing, so that the last one that begins in front of the end is the one to look at.
        if let Some((other, taken)) = pages.live.range(..end).next_back()
            && other.saturating_add(taken.size()) > start
        {
            return Err(Wrong::Overlap(taken.size()));
        }
        aside(|| pages.live.insert(start, layout));
        pages.held.bytes += layout.size() as u64;
        pages.held.blocks += 1;
        Ok(())
    }

    /// Strikes out a block, unless there is none, or one with another layout.
    pub(crate) fn leave(&self, start: usize, layout: Layout) -> Result<(), Wrong> {
        let mut pages = self.open();
        match pages.live.get(&start) {
            None => return Err(Wrong::Unknown),
            Some(taken) if *taken != layout => return Err(Wrong::OtherLayout(*taken)),
            Some(_) => {}
        }
        aside(|| pages.live.remove(&start));
        pages.held.bytes -= layout.size() as u64;
        pages.held.blocks -= 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).unwrap()
    }

    #[test]
    fn neighbours_may_touch_and_nothing_more() {
        let books = Books::new();
        for start in [1000, 1024, 1048] {
            assert_eq!(books.enter(start, layout(24)), Ok(()));
        }
        for (start, size) in [(1000, 24), (999, 2), (1071, 1), (990, 100), (1025, 8), (1047, 2)] {
            assert_eq!(books.enter(start, layout(size)), Err(Wrong::Overlap(24)), "{size} at {start}");
        }
        assert_eq!(books.enter(1072, layout(1)), Ok(()));
        assert_eq!(books.enter(992, layout(8)), Ok(()));
        assert_eq!(books.held(), Held { bytes: 81, blocks: 5, calls: 0 });
    }

    #[test]
    fn a_block_leaves_once_and_as_it_came() {
        let books = Books::new();
        books.enter(64, layout(24)).unwrap();
        assert_eq!(books.leave(65, layout(24)), Err(Wrong::Unknown));
        assert_eq!(books.leave(64, layout(25)), Err(Wrong::OtherLayout(layout(24))));
        assert_eq!(books.leave(64, layout(24)), Ok(()));
        assert_eq!(books.leave(64, layout(24)), Err(Wrong::Unknown));
        assert_eq!(books.held(), Held::default());
        assert_eq!(books.enter(70, layout(8)), Ok(()), "the place is free again");
    }
}

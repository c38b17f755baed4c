//! A table of blocks that threads swap without a lock.
#![expect(unsafe_code, reason = "a block in the table is an address, which its taker puts back together")]

use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::Block;

/// Places that hold a block or none. A swap is one atomic exchange; neighbouring places share cache lines, as those of
/// a plain array do.
#[derive(Debug)]
pub(crate) struct Table {
    places: Box<[AtomicPtr<u64>]>,
}

impl Table {
    /// An empty table.
    pub(crate) fn new(places: usize) -> Self {
        Self { places: (0..places).map(|_| AtomicPtr::default()).collect() }
    }

    /// The number of places.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Puts a block, or none, into a place, and takes what was there.
    #[inline]
    pub(crate) fn swap(&self, place: usize, block: Option<Block>) -> Option<Block> {
        let address = block.map_or(std::ptr::null_mut(), Block::into_address);
        // Whoever takes a block must see what was written into it.
        let taken = self.places[place].swap(address, Ordering::AcqRel);
        // SAFETY: an address in the table was made from a block, and whoever swaps it out is the only one to do so.
        NonNull::new(taken).map(|address| unsafe { Block::from_address(address) })
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        for place in 0..self.places.len() {
            drop(self.swap(place, None));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::Touch;

    #[test]
    fn what_goes_in_comes_out_once() {
        let table = Table::new(2);
        assert!(table.swap(1, Some(Block::new(8, 5, Touch::First))).is_none());
        let stamp = Block::new(8, 5, Touch::First).stamp();
        assert_eq!(table.swap(1, None).map(Block::free), Some(stamp));
        assert!(table.swap(1, None).is_none());
        assert_eq!(table.len(), 2);
    }

    #[test]
    fn threads_that_swap_lose_nothing() {
        let table = Table::new(7);
        let keys = |thread: u64| (0..1000).map(move |key| thread * 1000 + key);
        let taken: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4_u64)
                .map(|thread| {
                    let table = &table;
                    scope.spawn(move || {
                        let blocks = keys(thread).map(|key| Block::new(24, key, Touch::All));
                        let swapped = blocks.enumerate().filter_map(|(turn, block)| table.swap(turn % 7, Some(block)));
                        swapped.map(Block::free).fold(0, u64::wrapping_add)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).fold(0, u64::wrapping_add)
        });
        let left = (0..7).filter_map(|place| table.swap(place, None)).map(Block::free).fold(taken, u64::wrapping_add);
        let made = (0..4).flat_map(keys).map(|key| Block::new(24, key, Touch::All).free()).fold(0, u64::wrapping_add);
        assert_eq!(left, made);
    }
}

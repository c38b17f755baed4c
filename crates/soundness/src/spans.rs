//! Where live blocks lie: two that share bytes are found before anything is written to either.

use heapmark_protocol::Finding;

use crate::block::Block;
use crate::books::table;
use crate::ended::{Ended, found};

/// The addresses of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Span {
    start: usize,
    end: usize,
}

impl Span {
    fn of(block: &Block) -> Self {
        Self { start: block.address(), end: block.address().saturating_add(block.size()) }
    }

    fn size(self) -> usize {
        self.end - self.start
    }

    /// How many bytes both have.
    fn shared(self, other: Self) -> usize {
        self.end.min(other.end).saturating_sub(self.start.max(other.start))
    }
}

/// Live blocks in the order of their addresses.
pub(crate) struct Spans {
    spans: &'static mut [Span],
    count: usize,
}

impl Spans {
    /// Room for this many.
    pub(crate) fn with_room(room: usize) -> Result<Self, Ended> {
        Ok(Self { spans: table(room, Span::default())?, count: 0 })
    }

    /// Notes a new block. Fails if it shares bytes with one that is live.
    pub(crate) fn add(&mut self, block: &Block) -> Result<(), Ended> {
        self.insert(Span::of(block))
    }

    fn insert(&mut self, new: Span) -> Result<(), Ended> {
        let place = self.spans[..self.count].partition_point(|span| span.start < new.start);
        let neighbours = [place.checked_sub(1), (place < self.count).then_some(place)];
        for live in neighbours.into_iter().flatten().map(|index| self.spans[index]) {
            let shared = new.shared(live);
            if shared > 0 {
                let (size, other) = (new.size(), live.size());
                return Err(found(
                    Finding::Overlap,
                    format_args!("a new block of {size} bytes shares {shared} with a live one of {other}"),
                ));
            }
        }
        assert!(self.count < self.spans.len(), "a check keeps no more blocks than it made room for");
        self.spans.copy_within(place..self.count, place + 1);
        self.spans[place] = new;
        self.count += 1;
        Ok(())
    }

    /// Forgets a block that is about to be given back.
    pub(crate) fn remove(&mut self, block: &Block) {
        let span = Span::of(block);
        if let Ok(place) = self.spans[..self.count].binary_search(&span) {
            self.spans.copy_within(place + 1..self.count, place);
            self.count -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(result: Result<(), Ended>) -> Option<&'static str> {
        match result {
            Err(Ended::Found(Finding::Overlap, detail)) => Some(detail),
            _ => None,
        }
    }

    #[test]
    fn shared_bytes_are_found_from_both_sides() {
        let mut spans = Spans::with_room(8).unwrap();
        let mut insert = |start, end| spans.insert(Span { start, end });
        for (start, end) in [(100, 200), (300, 400), (200, 300), (0, 1)] {
            assert_eq!(insert(start, end), Ok(()), "neighbours share nothing");
        }
        for (start, end, shared) in [(50, 101, 1), (399, 500, 1), (100, 200, 100), (120, 130, 10), (0, 1000, 1)] {
            let detail = overlap(insert(start, end)).expect("they share bytes");
            assert!(detail.contains(&format!("shares {shared} with")), "{start}..{end}: {detail}");
        }
        assert_eq!(insert(400, 1000), Ok(()));
    }

    #[test]
    fn what_is_gone_is_free_again() {
        let mut spans = Spans::with_room(3).unwrap();
        let blocks = [1, 2, 3].map(|_| Block::take(crate::block::How::Fresh, 64, 8).unwrap());
        for block in &blocks {
            spans.add(block).unwrap();
        }
        assert!(overlap(spans.add(&blocks[1])).is_some());
        spans.remove(&blocks[1]);
        spans.add(&blocks[1]).unwrap();
        blocks.into_iter().for_each(Block::give_back);
    }
}

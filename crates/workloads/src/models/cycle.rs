//! Random numbers drawn before the clock starts, read again and again.
//!
//! A timed loop that reads one cycle for sizes and another for places would repeat itself as soon as both begin anew at
//! the same time, and an allocator would settle into that rhythm. So the lengths have no common factor: one is a power
//! of two, the other odd, and the pairs repeat after their product only.

use std::sync::Arc;

/// How long a cycle of sizes is: short enough to stay in the second-level cache, long enough for one block in some
/// thousands to be rare.
pub(crate) const LENGTH: usize = 1 << 14;

/// A length for a cycle that picks among `choices` things: odd, and with every choice in it about twice, up to a bound
/// that keeps the cycle itself small.
pub(crate) fn odd_length(choices: usize) -> usize {
    choices.saturating_mul(2).clamp(LENGTH, 1 << 20) | 1
}

/// Numbers that come round. Lanes share them, and begin at places of their own.
#[derive(Clone, Debug)]
pub(crate) struct Cycle {
    numbers: Arc<[u32]>,
    next: usize,
}

impl Cycle {
    /// Draws a cycle of `length` numbers.
    pub(crate) fn draw(length: usize, mut number: impl FnMut() -> usize) -> Self {
        let numbers = (0..length).map(|_| u32::try_from(number()).expect("sizes and places are below 2^32"));
        Self { numbers: numbers.collect(), next: 0 }
    }

    /// The same numbers from another place on, which `random` decides.
    pub(crate) fn from(&self, random: u64) -> Self {
        let length = self.numbers.len() as u64;
        Self { numbers: Arc::clone(&self.numbers), next: usize::try_from(random % length).unwrap_or_default() }
    }

    /// The next number.
    #[inline]
    pub(crate) fn next(&mut self) -> usize {
        let number = self.numbers[self.next];
        self.next += 1;
        if self.next == self.numbers.len() {
            self.next = 0;
        }
        number as usize
    }

    /// The mean of the numbers.
    pub(crate) fn mean(&self) -> u64 {
        self.numbers.iter().map(|number| u64::from(*number)).sum::<u64>() / self.numbers.len().max(1) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_round_from_any_place() {
        let mut counter = 0;
        let cycle = Cycle::draw(5, || {
            counter += 1;
            counter
        });
        for start in [0, 3, 8] {
            let mut from = cycle.from(start as u64);
            let read: Vec<_> = (0..7).map(|_| from.next()).collect();
            let expected: Vec<_> = (0..7).map(|index| (start + index) % 5 + 1).collect();
            assert_eq!(read, expected);
        }
        assert_eq!(cycle.mean(), 3);
    }

    #[test]
    fn pairs_of_two_cycles_repeat_late() {
        for choices in [0, 1, 5000, 1 << 18, usize::MAX] {
            let length = odd_length(choices);
            assert!(length % 2 == 1 && length >= LENGTH, "{length} and a power of two have no common factor");
            assert!(length <= (1 << 20) + 1);
        }
    }
}

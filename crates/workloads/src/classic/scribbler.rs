//! Writes to a tiny object, again and again: slow where another core writes to the same cache line.

use std::hint::black_box;
use std::sync::atomic::{AtomicU8, Ordering};

use heapmark_worker::Parameter;

/// An object that is written byte by byte. The bytes are atomic so that each write is made, as the originals' volatile
/// ones are; an atomic write without an ordering is a plain one to the processor.
pub(super) type Object = Box<[AtomicU8]>;

/// Allocates an object with this in every byte.
pub(super) fn object(size: usize, byte: u8) -> Object {
    black_box((0..size).map(|_| AtomicU8::new(byte)).collect())
}

pub(super) const SIZE: Parameter = Parameter::number("size", 1, 1, 4096, "bytes of each object");

pub(super) const WRITES: Parameter =
    Parameter::number("writes", 100, 1, 1_000_000, "times that each byte of an object is written before it is freed");

/// Allocates, writes and frees objects.
pub(super) struct Scribbler {
    pub(super) size: usize,
    pub(super) writes: usize,
    pub(super) key: u64,
}

impl Scribbler {
    /// Does so many objects; what was read from them.
    pub(super) fn scribble(&mut self, objects: u64) -> u64 {
        let mut checksum = 0_u64;
        for _ in 0..objects {
            self.key = self.key.wrapping_add(1);
            let object = object(self.size, self.key.to_le_bytes()[0]);
            for _ in 0..self.writes {
                for byte in &object {
                    byte.store(byte.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
                }
            }
            let read = object.iter().fold(0, |sum, byte| sum + u64::from(byte.load(Ordering::Relaxed)));
            checksum = checksum.wrapping_add(self.key).wrapping_add(read);
        }
        checksum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_write_counts() {
        let mut scribbler = Scribbler { size: 3, writes: 300, key: 6 };
        // The key is 7 by then, and 7 + 300 leaves 51 in a byte.
        assert_eq!(scribbler.scribble(1), 7 + 3 * 51);
    }
}

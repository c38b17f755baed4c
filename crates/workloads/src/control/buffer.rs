//! One big buffer whose content follows from a seed.

use heapmark_worker::Parameter;

use crate::random::scatter;

const WORD: usize = size_of::<u64>();

/// Words of the window that is worked on at a time: 64 KiB, sixteen pages.
pub(super) const WINDOW: usize = 8192;

/// The buffer's beginning is aligned to a window's bytes, whatever an allocator gives: alignment is no part of a control, and
/// processors predict the way of a cache, and join translations of neighbouring pages, by address bits far above a page's.
const ALIGNMENT: usize = WINDOW * WORD;

/// The parameter that sizes the buffer.
pub(super) const BUFFER_KIB: Parameter =
    Parameter::number("buffer_kib", 262_144, 64, 1 << 24, "KiB of the big buffer, over all threads");

/// The buffer.
pub(super) struct Buffer {
    words: Vec<u64>,
    /// Where the first window begins.
    first: usize,
}

impl Buffer {
    /// A buffer of whole windows, at least one, of about so many bytes.
    pub(super) fn new(bytes: usize, seed: u64) -> Self {
        let wanted = (bytes / WORD / WINDOW).max(1) * WINDOW;
        let mut words: Vec<u64> = Vec::with_capacity(wanted + ALIGNMENT / WORD);
        let start = words.as_ptr().addr();
        let first = (start.next_multiple_of(ALIGNMENT) - start) / WORD;
        words.resize(first, 0);
        let key = scatter(seed);
        words.extend((0..wanted as u64).map(|word| scatter(key ^ word)));
        Self { words, first }
    }

    /// The bytes that a buffer for `bytes` needs.
    pub(super) fn needed(bytes: usize) -> u64 {
        (bytes.max(WINDOW * WORD) + ALIGNMENT) as u64
    }

    /// All of it, in windows.
    pub(super) fn windows(&self) -> &[[u64; WINDOW]] {
        self.words[self.first..].as_chunks().0
    }

    /// The first window, to be changed.
    pub(super) fn window(&mut self) -> &mut [u64; WINDOW] {
        let (windows, _) = self.words[self.first..].as_chunks_mut();
        &mut windows[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_begin_at_multiples_of_their_size_and_hold_what_follows_from_the_seed() {
        for (bytes, windows) in [(1, 1), (1 << 16, 1), (1 << 20, 16), ((1 << 20) + 5000, 16)] {
            let mut buffer = Buffer::new(bytes, 7);
            assert_eq!(buffer.windows().len(), windows);
            assert_eq!(buffer.windows().as_ptr().addr() % ALIGNMENT, 0);
            assert_eq!(buffer.window().as_ptr().addr() % ALIGNMENT, 0);
            // The content does not depend on where the first window begins.
            let other = Buffer::new(bytes, 7);
            assert!(buffer.windows() == other.windows());
            assert!(buffer.windows() != Buffer::new(bytes, 8).windows());
        }
    }
}

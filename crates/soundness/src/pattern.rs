//! Patterns by which a block is known: every eight bytes follow from the block's seed and their place in it.

/// Eight bytes of the pattern, by their number.
///
/// A multiplicative hash: neighbours in place or seed have nothing in common, and one multiplication is cheap enough to
/// write and read hundreds of megabytes of it.
pub(crate) const fn word(seed: u64, number: usize) -> [u8; 8] {
    let mixed = (seed ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ (mixed >> 29)).to_le_bytes()
}

/// The byte of the pattern at this place.
pub(crate) const fn byte(seed: u64, at: usize) -> u8 {
    word(seed, at / 8)[at % 8]
}

/// A byte that is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Its place in the block.
    pub(crate) at: usize,
    /// What it should be.
    pub(crate) expected: u8,
    /// What it is.
    pub(crate) got: u8,
}

/// The first byte that is not the pattern's.
pub(crate) fn difference(bytes: &[u8], seed: u64) -> Option<Difference> {
    bytes.chunks(8).enumerate().find_map(|(number, chunk)| {
        let expected = word(seed, number);
        let expected = &expected[..chunk.len()];
        if chunk == expected {
            return None;
        }
        let offset = chunk.iter().zip(expected).position(|(got, expected)| got != expected)?;
        Some(Difference { at: number * 8 + offset, expected: expected[offset], got: chunk[offset] })
    })
}

/// The first byte that is not zero.
pub(crate) fn not_zero(bytes: &[u8]) -> Option<Difference> {
    let chunk = bytes.chunks(64).position(|chunk| chunk.iter().fold(0, |all, byte| all | byte) != 0)?;
    let offset = bytes[chunk * 64..].iter().position(|byte| *byte != 0)?;
    Some(Difference { at: chunk * 64 + offset, expected: 0, got: bytes[chunk * 64 + offset] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(length: usize, seed: u64) -> Vec<u8> {
        (0..length).map(|at| byte(seed, at)).collect()
    }

    #[test]
    fn every_changed_byte_is_found() {
        for length in 0..40 {
            let mut bytes = written(length, 7);
            assert_eq!(difference(&bytes, 7), None);
            for at in 0..length {
                let expected = bytes[at];
                bytes[at] ^= 1;
                assert_eq!(difference(&bytes, 7), Some(Difference { at, expected, got: expected ^ 1 }));
                bytes[at] = expected;
            }
        }
    }

    #[test]
    fn patterns_of_two_seeds_differ_in_the_first_word() {
        for seed in 0..100 {
            let difference = difference(&written(64, seed), seed + 1);
            assert!(difference.is_some_and(|difference| difference.at < 8), "{seed}: {difference:?}");
        }
    }

    #[test]
    fn the_first_byte_that_is_not_zero_is_found() {
        let mut bytes = [0; 200];
        assert_eq!(not_zero(&bytes), None);
        bytes[199] = 1;
        bytes[130] = 9;
        assert_eq!(not_zero(&bytes), Some(Difference { at: 130, expected: 0, got: 9 }));
        assert_eq!(not_zero(&[]), None);
    }
}

//! Checksums and seeds: cheap enough to cover every byte, sensitive to its place.

use fastrand::Rng;

/// An odd number with its bits well spread: the golden ratio in 64 bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes `value` into `sum`; the order of what is mixed in matters, and the same twice does not cancel out.
pub(super) fn mix(sum: u64, value: u64) -> u64 {
    (sum.rotate_left(29) ^ value).wrapping_mul(SPREAD)
}

/// The checksum of all bytes and their number.
///
/// Four sums are kept apart, because a multiplication that waits for the one before it would take four times as long.
pub(super) fn of_bytes(bytes: &[u8]) -> u64 {
    let mut sums = [1, 2, 3, 4];
    let blocks = bytes.chunks_exact(32);
    let rest = blocks.remainder();
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (sum, word) in sums.iter_mut().zip(words) {
            *sum = mix(*sum, u64::from_le_bytes(*word));
        }
    }
    let mut sum = if bytes.len() < 32 { 0 } else { sums.into_iter().fold(0, mix) };
    let (words, tail) = rest.as_chunks::<8>();
    for word in words {
        sum = mix(sum, u64::from_le_bytes(*word));
    }
    for byte in tail {
        sum = mix(sum, u64::from(*byte));
    }
    mix(sum, bytes.len() as u64)
}

/// The random numbers of one lane, or of one document, of a sample.
pub(super) fn rng(seed: u64, part: u64) -> Rng {
    Rng::with_seed(mix(mix(0, seed), part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_and_the_length_count() {
        for length in [0, 1, 7, 8, 9, 31, 32, 33, 100] {
            let bytes: Vec<u8> = (0..length).map(|i| u8::try_from(i).unwrap()).collect();
            let sum = of_bytes(&bytes);
            for place in 0..length {
                let mut changed = bytes.clone();
                changed[place] ^= 0x40;
                assert_ne!(of_bytes(&changed), sum, "byte {place} of {length}");
            }
            let mut longer = bytes;
            longer.push(0);
            assert_ne!(of_bytes(&longer), sum);
        }
    }

    #[test]
    fn order_counts_and_nothing_cancels_out() {
        assert_ne!(mix(mix(0, 1), 2), mix(mix(0, 2), 1));
        assert_ne!(mix(5, 5), mix(6, 6));
        assert_ne!(rng(1, 2).u64(..), rng(2, 1).u64(..));
    }
}

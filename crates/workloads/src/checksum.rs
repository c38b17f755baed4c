//! Checksums: cheap enough to cover every byte, sensitive to its place.

/// An odd number with its bits well spread: the golden ratio in 64 bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes `value` into `sum`; the order of what is mixed in matters, and the same twice does not cancel out.
///
/// Two instructions and a multiplication, so that what is measured is not the checksum.
pub(crate) const fn mix(sum: u64, value: u64) -> u64 {
    (sum.rotate_left(29) ^ value).wrapping_mul(SPREAD)
}

/// Mixes all bytes and their number into `sum`.
///
/// Four sums are kept apart, because a multiplication that waits for the one before it would take four times as long.
pub(crate) fn mix_bytes(sum: u64, bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<32>();
    let mut sum = mix(sum, bytes.len() as u64);
    if !blocks.is_empty() {
        let mut sums = [1, 2, 3, 4];
        for block in blocks {
            let (words, _) = block.as_chunks::<8>();
            for (sum, word) in sums.iter_mut().zip(words) {
                *sum = mix(*sum, u64::from_le_bytes(*word));
            }
        }
        sum = sums.into_iter().fold(sum, mix);
    }
    let (words, tail) = rest.as_chunks::<8>();
    for word in words {
        sum = mix(sum, u64::from_le_bytes(*word));
    }
    if tail.is_empty() { sum } else { mix(sum, last_bytes(bytes)) }
}

/// The last eight bytes; of fewer, all. Some of them twice, which is cheaper than one by one.
fn last_bytes(bytes: &[u8]) -> u64 {
    if let Some(last) = bytes.last_chunk::<8>() {
        return u64::from_le_bytes(*last);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last));
    }
    bytes.iter().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_and_the_length_count() {
        for length in 0..100 {
            let bytes: Vec<u8> = (0..length).collect();
            let sum = mix_bytes(0, &bytes);
            for place in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[place] ^= 0x40;
                assert_ne!(mix_bytes(0, &changed), sum, "byte {place} of {length}");
            }
            let mut longer = bytes;
            longer.push(0);
            assert_ne!(mix_bytes(0, &longer), sum);
        }
    }

    #[test]
    fn order_counts_and_nothing_cancels_out() {
        assert_ne!(mix(mix(0, 1), 2), mix(mix(0, 2), 1));
        assert_ne!(mix(5, 5), mix(6, 6));
        assert_ne!(mix_bytes(mix_bytes(0, b"ab"), b"cd"), mix_bytes(mix_bytes(0, b"cd"), b"ab"));
        assert_ne!(mix_bytes(mix_bytes(0, b"ab"), b"c"), mix_bytes(mix_bytes(0, b"a"), b"bc"));
    }
}

//! Seeds and checksums.

use fastrand::Rng;

/// Turns a counter into a number that looks random, without collisions: the output function of `SplitMix64`
/// (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
pub(super) const fn scatter(counter: u64) -> u64 {
    let mut z = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The generator of one lane. Seeds in sequence and lanes in sequence give streams that have nothing in common.
pub(super) fn lane_rng(seed: u64, lane: usize) -> Rng {
    Rng::with_seed(scatter(scatter(seed) ^ lane as u64))
}

/// Takes `value` into a checksum that depends on the order: two instructions and a multiplication, so that what is
/// measured is not the checksum.
pub(super) const fn fold(sum: u64, value: u64) -> u64 {
    (sum.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A checksum of every byte of a text.
pub(super) fn fold_text(sum: u64, text: &str) -> u64 {
    // The plain sum of bytes is what the compiler turns into vector instructions.
    fold(sum, text.bytes().map(u64::from).sum::<u64>() + ((text.len() as u64) << 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_and_seeds_have_streams_of_their_own() {
        let mut firsts: Vec<u64> =
            (0..8).flat_map(|seed| (0..8).map(move |lane| lane_rng(seed, lane).u64(..))).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 64);
    }

    #[test]
    fn a_checksum_sees_order_content_and_length() {
        assert_ne!(fold(fold(0, 1), 2), fold(fold(0, 2), 1));
        assert_ne!(fold_text(0, "ab"), fold_text(0, "ac"));
        assert_ne!(fold_text(0, "\0"), fold_text(0, ""));
    }
}

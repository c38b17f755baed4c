//! Seeds: how one seed becomes the random numbers of every part of a workload.

use fastrand::Rng;

/// Turns a counter into a number that looks random, without collisions: the output function of `SplitMix64`
/// (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
pub(crate) const fn scatter(counter: u64) -> u64 {
    let mut z = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The random numbers of one part of a sample: of a lane, say, or of a document. Seeds in sequence and parts in sequence
/// give streams that have nothing in common.
pub(crate) fn stream(seed: u64, part: u64) -> Rng {
    Rng::with_seed(scatter(scatter(seed) ^ part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_and_parts_have_streams_of_their_own() {
        let mut firsts: Vec<u64> = (0..8).flat_map(|seed| (0..8).map(move |part| stream(seed, part).u64(..))).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 64);
    }
}

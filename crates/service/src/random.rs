//! Random numbers and words for what clients send and servers keep.

/// Numbers that look random and follow from a seed: `SplitMix64` (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
/// Generators", OOPSLA 2014).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not 0. Large ends are not served quite evenly, which nothing here asks for.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("it is below a usize")
    }
}

/// So many lower-case letters.
pub(crate) fn word(random: &mut Random, letters: usize) -> String {
    (0..letters).map(|_| char::from(b"abcdefghijklmnopqrstuvwxyz"[random.below(26)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_from_the_seed_and_stay_below_their_end() {
        let of = |seed| {
            let mut random = Random::new(seed);
            (0..100).map(|_| random.below(10)).collect::<Vec<_>>()
        };
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert!((0..10).all(|number| of(1).contains(&number)), "every one of ten comes up among a hundred");
    }

    #[test]
    fn words_are_letters() {
        let word = word(&mut Random::new(7), 40);
        assert_eq!(word.len(), 40);
        assert!(word.bytes().all(|byte| byte.is_ascii_lowercase()));
    }
}

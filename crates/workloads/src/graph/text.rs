//! Texts of random content and length at the price of a copy.

use fastrand::Rng;

/// The longest text that [`text`] gives.
pub(super) const LONGEST: usize = 512;

static BYTES: [u8; 2 * LONGEST] = letters();

/// Where texts are cut from.
static LETTERS: &str = match std::str::from_utf8(&BYTES) {
    Ok(letters) => letters,
    Err(_) => panic!("letters are ASCII"),
};

const fn letters() -> [u8; 2 * LONGEST] {
    let mut letters = [0; 2 * LONGEST];
    let mut i = 0;
    while i < letters.len() {
        let random = crate::random::scatter(i as u64).to_le_bytes()[0];
        letters[i] = b'a' + random % 26;
        i += 1;
    }
    letters
}

/// A text of `min` to `max` bytes, at most [`LONGEST`]; to be copied by whoever wants to own it.
pub(super) fn text(rng: &mut Rng, min: usize, max: usize) -> &'static str {
    let length = rng.usize(min..=max);
    let start = rng.usize(..LONGEST);
    &LETTERS[start..start + length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_in_range_is_given() {
        let mut rng = Rng::with_seed(1);
        let mut seen = [false; LONGEST + 1];
        for _ in 0..100_000 {
            seen[text(&mut rng, 1, LONGEST).len()] = true;
        }
        assert!(!seen[0] && seen[1..].iter().all(|seen| *seen));
    }
}

//! What is written into blocks: words that follow from a key and their place, so that every part of a block tells whose
//! it is.
#![expect(unsafe_code, reason = "what a block holds is written and read through its address")]

use crate::models::{PAGE, Touch};

const WORD: usize = size_of::<u64>();

/// The word at this place, which is counted in words.
const fn word(key: u64, place: usize) -> u64 {
    key.wrapping_add(place as u64)
}

/// The byte at this offset: that of the word it belongs to.
const fn byte(key: u64, offset: usize) -> u8 {
    word(key, offset / WORD).to_le_bytes()[offset % WORD]
}

/// The eight bytes from this offset on.
const fn word_at(key: u64, offset: usize) -> u64 {
    let (place, shift) = (offset / WORD, 8 * (offset % WORD));
    // In two steps, since no shift goes by all 64 bits.
    word(key, place) >> shift | word(key, place + 1) << 1 << (63 - shift)
}

/// The offsets behind the first word that [`Touch::Pages`] covers in the bytes from `from` to `size`.
fn pages(from: usize, size: usize) -> impl Iterator<Item = usize> {
    let last = if size > WORD { Some(size - 1) } else { None };
    (from.next_multiple_of(PAGE).max(PAGE)..size).step_by(PAGE).chain(last)
}

/// Writes what `touch` says, in so far as it lies in the bytes from `from` on; the last byte always counts as new.
///
/// # Safety
/// The `size` bytes at `start` must be valid for writes.
pub(super) unsafe fn write(start: *mut u8, from: usize, size: usize, touch: Touch, key: u64) {
    // SAFETY: the offset is below `size`.
    let write_byte = |offset: usize| unsafe { start.add(offset).write(byte(key, offset)) };
    // SAFETY: the word lies within the `size` bytes.
    let write_word = |offset: usize, word: u64| unsafe {
        start.add(offset).cast::<u64>().write_unaligned(word.to_le());
    };
    match touch {
        Touch::None => {}
        Touch::First | Touch::Pages => {
            if from < WORD {
                if size >= WORD { write_word(0, key) } else { (from..size).for_each(write_byte) }
            }
            if touch == Touch::Pages {
                pages(from, size).for_each(write_byte);
            }
        }
        Touch::All if size < WORD => (from..size).for_each(write_byte),
        Touch::All => {
            (from / WORD..size / WORD).for_each(|place| write_word(place * WORD, word(key, place)));
            // The last word overlaps the one before: a loop over its bytes would cost more than all others where blocks
            // are small, since no processor can foresee how often it is taken.
            write_word(size - WORD, word_at(key, size - WORD));
        }
    }
}

/// Reads what `touch` says: 0 if everything is as it was written.
///
/// # Safety
/// The `size` bytes at `start` must be valid for reads, and [`write`] must have written those that `touch` covers, or a
/// larger `touch`.
pub(super) unsafe fn damage(start: *const u8, size: usize, touch: Touch, key: u64) -> u64 {
    // SAFETY: the offset is below `size`, and what `touch` covers has been written.
    let read_byte = |offset: usize| unsafe { start.add(offset).read() };
    let byte_damage = |damage: u64, offset: usize| damage | u64::from(read_byte(offset) ^ byte(key, offset));
    let word_damage = |offset: usize, word: u64| {
        // SAFETY: the word lies within the `size` bytes and has been written.
        let read = unsafe { start.add(offset).cast::<u64>().read_unaligned() };
        u64::from_le(read) ^ word
    };
    match touch {
        Touch::None => 0,
        Touch::First | Touch::Pages => {
            let first = if size >= WORD { word_damage(0, key) } else { (0..size).fold(0, byte_damage) };
            if touch == Touch::First { first } else { pages(0, size).fold(first, byte_damage) }
        }
        Touch::All if size < WORD => (0..size).fold(0, byte_damage),
        Touch::All => {
            let last = word_damage(size - WORD, word_at(key, size - WORD));
            (0..size / WORD).fold(last, |damage, place| damage | word_damage(place * WORD, word(key, place)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: u64 = 0x0123_4567_89ab_cdef;

    /// The bytes that `touch` changes in a block of this size, from `from` on.
    fn written(size: usize, from: usize, touch: Touch) -> Vec<usize> {
        // Twice over different grounds, since the pattern may have either byte in places.
        let mut offsets = Vec::new();
        for ground in [0, 0xff] {
            let mut bytes = vec![ground; size];
            // SAFETY: the vector has that many bytes.
            unsafe { write(bytes.as_mut_ptr(), from, size, touch, KEY) };
            offsets.extend((0..size).filter(|offset| bytes[*offset] != ground));
        }
        offsets.sort_unstable();
        offsets.dedup();
        offsets
    }

    #[test]
    fn each_policy_writes_what_it_says() {
        for size in [1, 7, 8, 9, 100, 4096, 4097, 8192, 20_001] {
            assert_eq!(written(size, 0, Touch::None), [0; 0]);
            assert_eq!(written(size, 0, Touch::First), (0..size.min(8)).collect::<Vec<_>>());
            assert_eq!(written(size, 0, Touch::All), (0..size).collect::<Vec<_>>());
            let pages = written(size, 0, Touch::Pages);
            for start in (8..size).step_by(PAGE) {
                let page = start..(start + PAGE).min(size);
                assert!(pages.iter().any(|offset| page.contains(offset)), "{page:?} of {size}");
            }
            assert!(pages.len() <= 8 + 1 + size / PAGE);
        }
    }

    #[test]
    fn a_word_is_its_bytes() {
        for offset in 0..100 {
            let bytes = std::array::from_fn(|place| byte(KEY, offset + place));
            assert_eq!(word_at(KEY, offset), u64::from_le_bytes(bytes), "at {offset}");
        }
    }

    #[test]
    fn what_is_new_is_written_and_damage_anywhere_is_seen() {
        for touch in [Touch::First, Touch::Pages, Touch::All] {
            for (old, new) in [(1, 5), (5, 8), (8, 9), (100, 5000), (4096, 8192), (5000, 20_003), (9000, 700)] {
                let mut bytes = vec![0_u8; old];
                // SAFETY: the vector has that many bytes, then and after it has got its new size.
                let damage_now = unsafe {
                    write(bytes.as_mut_ptr(), 0, old, touch, KEY);
                    bytes.resize(new, 0);
                    write(bytes.as_mut_ptr(), old, new, touch, KEY);
                    damage(bytes.as_ptr(), new, touch, KEY)
                };
                assert_eq!(damage_now, 0, "{touch:?} {old} to {new}");
                for offset in written(new, 0, touch) {
                    bytes[offset] ^= 0x10;
                    // SAFETY: as above.
                    assert_ne!(unsafe { damage(bytes.as_ptr(), new, touch, KEY) }, 0, "{touch:?} {offset} of {new}");
                    bytes[offset] ^= 0x10;
                }
            }
        }
    }
}

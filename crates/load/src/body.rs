//! What a response's body must be, and what it is.

use std::sync::{Arc, OnceLock};

use crc32fast::Hasher;

/// What of a body is compared: its length and its CRC-32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest {
    /// Bytes.
    pub length: u64,
    /// CRC-32 of all of them, as in gzip and PNG.
    pub checksum: u32,
}

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self { length: bytes.len() as u64, checksum: crc32fast::hash(bytes) }
    }
}

/// What a response's body must be.
#[derive(Clone, Debug, Default)]
pub enum Expected {
    /// Anything, as long as it is whole. No checksum is made, so this costs the generator least.
    #[default]
    Whole,
    /// Of this length and with this checksum, as far as they are given. The checksum is made in any case.
    Like {
        /// Bytes.
        length: Option<u64>,
        /// CRC-32.
        checksum: Option<u32>,
    },
    /// These bytes.
    Exactly(Arc<[u8]>),
    /// What the first response had.
    Same(Arc<OnceLock<Digest>>),
}

/// The body of the response that is being read.
#[derive(Debug)]
pub(crate) struct Body {
    expected: Expected,
    length: u64,
    hasher: Option<Hasher>,
    /// A byte differs from the one that is expected.
    differs: bool,
}

impl Body {
    pub(crate) fn new(expected: Expected) -> Self {
        let hasher = matches!(expected, Expected::Like { .. } | Expected::Same(_)).then(Hasher::new);
        Self { expected, length: 0, hasher, differs: false }
    }

    /// Begins the next one.
    pub(crate) fn begin(&mut self) {
        self.length = 0;
        self.differs = false;
        if let Some(hasher) = &mut self.hasher {
            hasher.reset();
        }
    }

    /// The next bytes of it.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        if let Some(hasher) = &mut self.hasher {
            hasher.update(bytes);
        }
        if let Expected::Exactly(whole) = &self.expected {
            let rest = usize::try_from(self.length).ok().and_then(|at| whole.get(at..)).unwrap_or_default();
            self.differs |= !rest.starts_with(bytes);
        }
        self.length += bytes.len() as u64;
    }

    /// Ends it: what it was, or in what it differs from what is expected. The checksum is 0 where none is made.
    pub(crate) fn end(&mut self) -> Result<Digest, String> {
        let checksum = self.hasher.as_ref().map_or(0, |hasher| hasher.clone().finalize());
        let digest = Digest { length: self.length, checksum };
        let (length, checksum) = match &self.expected {
            Expected::Whole => (None, None),
            Expected::Like { length, checksum } => (*length, *checksum),
            Expected::Exactly(whole) => (Some(whole.len() as u64), None),
            Expected::Same(first) => {
                let first = first.get_or_init(|| digest);
                (Some(first.length), Some(first.checksum))
            }
        };
        if let Some(wanted) = length.filter(|wanted| *wanted != digest.length) {
            return Err(format!("{} bytes where {wanted} are expected", digest.length));
        }
        if let Some(wanted) = checksum.filter(|wanted| *wanted != digest.checksum) {
            return Err(format!(
                "{} bytes with checksum {} where {wanted} is expected",
                digest.length, digest.checksum
            ));
        }
        if self.differs {
            return Err(format!("{} bytes, some of which are not the expected ones", digest.length));
        }
        Ok(digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &mut Body, pieces: &[&[u8]]) -> Result<Digest, String> {
        body.begin();
        for piece in pieces {
            body.take(piece);
        }
        body.end()
    }

    #[test]
    fn the_checksum_is_the_usual_one() {
        // The check value of CRC-32/ISO-HDLC in the catalogue of CRC algorithms.
        assert_eq!(Digest::of(b"123456789"), Digest { length: 9, checksum: 0xcbf4_3926 });
    }

    #[test]
    fn length_and_checksum_are_held_against_what_is_expected() {
        let right = Digest::of(b"some bytes");
        for (length, checksum) in [(None, None), (Some(right.length), None), (None, Some(right.checksum))] {
            let mut body = Body::new(Expected::Like { length, checksum });
            assert_eq!(read(&mut body, &[b"some", b"", b" bytes"]), Ok(right));
        }
        let mut body = Body::new(Expected::Like { length: Some(10), checksum: Some(right.checksum) });
        assert!(read(&mut body, &[b"some bytez"]).unwrap_err().contains("checksum"));
        assert!(read(&mut body, &[b"some byte"]).unwrap_err().contains("9 bytes where 10"));
        assert_eq!(read(&mut body, &[b"some bytes"]), Ok(right), "one that is wrong does not spoil the next");
    }

    #[test]
    fn exact_bytes_are_compared_wherever_they_are_cut() {
        let whole: Arc<[u8]> = (0..=255).collect();
        let mut body = Body::new(Expected::Exactly(whole.clone()));
        for cut in 0..=whole.len() {
            let (one, two) = whole.split_at(cut);
            assert_eq!(read(&mut body, &[one, two]).map(|digest| digest.length), Ok(256));
        }
        let mut wrong = whole.to_vec();
        wrong[200] ^= 1;
        assert!(read(&mut body, &[&wrong[..100], &wrong[100..]]).is_err());
        assert!(read(&mut body, &[&whole, b"x"]).is_err());
        assert!(read(&mut body, &[&whole[..255]]).is_err());
        assert!(read(&mut body, &[&whole]).is_ok());
    }

    #[test]
    fn the_first_response_is_the_measure_of_the_others_on_every_connection() {
        let first = Expected::Same(Arc::default());
        let (mut one, mut other) = (Body::new(first.clone()), Body::new(first));
        assert!(read(&mut one, &[b"first"]).is_ok());
        assert!(read(&mut other, &[b"fi", b"rst"]).is_ok());
        assert!(read(&mut other, &[b"First"]).is_err());
        assert!(read(&mut one, &[b"firs"]).is_err());
    }
}

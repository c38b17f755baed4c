//! Bodies in chunks, RFC 9112, section 7.1.

use crate::response::Malformed;

/// The longest line of a size with its extensions, or of a trailer.
const LONGEST_LINE: usize = 8 * 1024;

/// Where in the body the reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the line that says how long the next chunk is.
    Size,
    /// So many bytes before the end of a chunk.
    Data(u64),
    /// In the line end behind a chunk.
    Behind,
    /// In the fields after the last chunk.
    Trailers,
}

/// Reads a body in chunks, however it is cut.
#[derive(Debug)]
pub(crate) struct Chunks {
    place: Place,
}

impl Chunks {
    pub(crate) fn new() -> Self {
        Self { place: Place::Size }
    }

    /// Takes what came. `line` keeps a line that is not whole yet, until the next call. Says how much of the input belongs to the body
    /// once that has ended.
    pub(crate) fn take(
        &mut self,
        input: &[u8],
        line: &mut Vec<u8>,
        data: &mut impl FnMut(&[u8]),
    ) -> Result<Option<usize>, Malformed> {
        let mut rest = input;
        loop {
            if let Place::Data(left) = self.place {
                let here = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
                data(&rest[..here]);
                rest = &rest[here..];
                let left = left - here as u64;
                self.place = if left == 0 { Place::Behind } else { Place::Data(left) };
                if left > 0 {
                    return Ok(None);
                }
            }
            let Some(end) = rest.iter().position(|&byte| byte == b'\n') else {
                line.extend_from_slice(rest);
                return if line.len() > LONGEST_LINE {
                    Err(Malformed("a chunk with an endless line"))
                } else {
                    Ok(None)
                };
            };
            let (here, behind) = rest.split_at(end + 1);
            rest = behind;
            // The line as it is where it came in one piece.
            let whole = if line.is_empty() {
                here
            } else {
                line.extend_from_slice(here);
                line.as_slice()
            };
            let ended = self.line(whole)?;
            line.clear();
            if ended {
                return Ok(Some(input.len() - rest.len()));
            }
        }
    }

    /// Takes a whole line. Whether the body ends with it.
    fn line(&mut self, line: &[u8]) -> Result<bool, Malformed> {
        let Some(content) = line.strip_suffix(b"\r\n") else {
            return Err(Malformed("a chunk whose line ends wrongly"));
        };
        match self.place {
            Place::Size => {
                // The parser takes a line without a digit for a zero.
                if !content.first().is_some_and(u8::is_ascii_hexdigit) {
                    return Err(Malformed("a chunk without a size"));
                }
                self.place = match httparse::parse_chunk_size(line) {
                    Ok(httparse::Status::Complete((_, 0))) => Place::Trailers,
                    Ok(httparse::Status::Complete((_, size))) => Place::Data(size),
                    _ => return Err(Malformed("a chunk whose size is no number")),
                };
            }
            Place::Behind if content.is_empty() => self.place = Place::Size,
            Place::Behind => return Err(Malformed("a chunk that is longer than it says")),
            Place::Trailers if content.is_empty() => return Ok(true),
            Place::Trailers if content.contains(&b':') => {}
            Place::Trailers | Place::Data(_) => return Err(Malformed("a trailer that is no field")),
        }
        Ok(false)
    }
}

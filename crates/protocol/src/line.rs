//! One message is one line; this file writes and reads lines. Writing never allocates, so that a worker can report
//! without touching the heap it measures.

use std::borrow::Cow;
use std::fmt;

/// The longest line, in bytes, its line feed included.
pub const MAX_LINE: usize = 16 * 1024;

/// Whether `key` may stand before the `=` of a pair.
pub fn is_key(key: &str) -> bool {
    !key.is_empty()
        && key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-' | b'.' | b':'))
}

const fn is_plain(byte: u8) -> bool {
    byte > b' ' && byte <= b'~' && byte != b'%'
}

/// Builds one line in a fixed buffer, without allocating.
///
/// A pair that does not fit is left out whole, so that a line is never cut in the middle of a value; whoever reads it
/// sees a missing pair, which is an error unless the pair is optional.
#[derive(Debug)]
pub struct LineWriter {
    buffer: [u8; MAX_LINE],
    length: usize,
    full: bool,
}

impl Default for LineWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl LineWriter {
    /// An empty buffer.
    pub const fn new() -> Self {
        Self { buffer: [0; MAX_LINE], length: 0, full: false }
    }

    /// Begins a new line with this verb; what the buffer held is gone.
    pub fn start(&mut self, verb: &str) -> &mut Self {
        self.length = 0;
        self.full = false;
        self.raw(verb.as_bytes());
        self
    }

    /// Adds a pair whose value is any text.
    pub fn text(&mut self, key: &str, value: &str) -> &mut Self {
        self.display(key, format_args!("{value}"))
    }

    /// Adds a pair whose value is a number.
    pub fn number(&mut self, key: &str, value: u64) -> &mut Self {
        self.display(key, format_args!("{value}"))
    }

    /// Adds a pair whose value is formatted in place, and escaped on the way.
    pub fn display(&mut self, key: &str, value: fmt::Arguments<'_>) -> &mut Self {
        debug_assert!(is_key(key), "not a key: {key:?}");
        let before = self.length;
        self.raw(b" ");
        self.raw(key.as_bytes());
        self.raw(b"=");
        let written = fmt::write(&mut Escaped(self), value);
        if self.full || written.is_err() {
            self.length = before;
            self.full = false;
        }
        self
    }

    /// The finished line, ended by a line feed.
    pub fn finish(&mut self) -> &[u8] {
        self.buffer[self.length] = b'\n';
        &self.buffer[..=self.length]
    }

    /// Appends bytes as they are; one byte always stays free for the line feed.
    fn raw(&mut self, bytes: &[u8]) {
        if self.full || self.length + bytes.len() >= MAX_LINE {
            self.full = true;
            return;
        }
        self.buffer[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }
}

/// Escapes what is formatted through it.
struct Escaped<'a>(&'a mut LineWriter);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        for byte in text.bytes() {
            if is_plain(byte) {
                self.0.raw(&[byte]);
            } else {
                self.0.raw(&[b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            }
        }
        if self.0.full { Err(fmt::Error) } else { Ok(()) }
    }
}

/// Why a line, or a pair in it, could not be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(pub(crate) String);

impl ParseError {
    /// An error with this text.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParseError {}

/// A line that was read: a verb and its pairs, still in the reader's buffer.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    verb: &'a str,
    pairs: &'a str,
}

impl<'a> Message<'a> {
    /// Reads one line, given without its line feed. Fails if it is not a message at all.
    pub fn parse(line: &'a [u8]) -> Result<Self, ParseError> {
        let not_a_message = || {
            let shown: String = String::from_utf8_lossy(line).chars().take(80).collect();
            ParseError(format!("not a message: {shown:?}"))
        };
        let text = std::str::from_utf8(line).map_err(|_| not_a_message())?;
        let (verb, pairs) = text.split_once(' ').unwrap_or((text, ""));
        let well_formed = |pair: &str| {
            pair.split_once('=')
                .is_some_and(|(key, value)| is_key(key) && value.bytes().all(|b| is_plain(b) || b == b'%'))
        };
        if !is_key(verb) || (!pairs.is_empty() && !pairs.split(' ').all(well_formed)) {
            return Err(not_a_message());
        }
        Ok(Self { verb, pairs })
    }

    /// The first word of the line.
    pub fn verb(&self) -> &'a str {
        self.verb
    }

    /// Every pair in order, the values still escaped.
    fn raw_pairs(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        self.pairs.split(' ').filter_map(|pair| pair.split_once('='))
    }

    /// Every pair in order, the values decoded.
    pub fn pairs(&self) -> impl Iterator<Item = Result<(&'a str, Cow<'a, str>), ParseError>> + use<'a> {
        self.raw_pairs().map(|(key, value)| Ok((key, decode(key, value)?)))
    }

    /// The value of `key`, or nothing where the line does not have it. Allocates only where the value is escaped.
    pub fn optional_text(&self, key: &str) -> Result<Option<Cow<'a, str>>, ParseError> {
        self.raw_pairs().find(|(k, _)| *k == key).map(|(k, value)| decode(k, value)).transpose()
    }

    /// The value of `key`; an error where the line does not have it.
    pub fn text(&self, key: &str) -> Result<Cow<'a, str>, ParseError> {
        self.optional_text(key)?.ok_or_else(|| self.missing(key))
    }

    /// The number behind `key`, or nothing where the line does not have it.
    pub fn optional_number(&self, key: &str) -> Result<Option<u64>, ParseError> {
        let Some((_, value)) = self.raw_pairs().find(|(k, _)| *k == key) else { return Ok(None) };
        // `u64::from_str` also takes a leading plus sign; the protocol does not.
        if !value.bytes().all(|b| b.is_ascii_digit()) {
            return Err(ParseError(format!("`{}`: {key}={value:?} is not a number", self.verb)));
        }
        value.parse().map(Some).map_err(|_| ParseError(format!("`{}`: {key}={value:?} is not a number", self.verb)))
    }

    /// The number behind `key`; an error where the line does not have it.
    pub fn number(&self, key: &str) -> Result<u64, ParseError> {
        self.optional_number(key)?.ok_or_else(|| self.missing(key))
    }

    fn missing(&self, key: &str) -> ParseError {
        ParseError(format!("`{}` lacks {key}=", self.verb))
    }
}

fn decode<'a>(key: &str, value: &'a str) -> Result<Cow<'a, str>, ParseError> {
    if !value.contains('%') {
        return Ok(Cow::Borrowed(value));
    }
    let wrong = || ParseError(format!("{key}={value:?} is wrongly escaped"));
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |at: usize| tail.get(at).and_then(|&b| char::from(b).to_digit(16));
        let (Some(high), Some(low)) = (digit(0), digit(1)) else { return Err(wrong()) };
        bytes.push(u8::try_from(high * 16 + low).map_err(|_| wrong())?);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(value: &str) -> String {
        let mut writer = LineWriter::new();
        let line = writer.start("verb").text("key", value).number("n", u64::MAX).finish();
        let (last, body) = line.split_last().expect("a line is never empty");
        assert_eq!(*last, b'\n');
        assert!(!body.contains(&b'\n'), "one message is one line");
        let message = Message::parse(body).expect("what is written can be read");
        assert_eq!(message.number("n"), Ok(u64::MAX));
        message.text("key").expect("the pair is there").into_owned()
    }

    #[test]
    fn any_text_survives() {
        for value in
            ["", "plain", "with space", "line\nfeed", "100 %", "%41", "a=b", "/ : \" * ?", "\0", "ärger", "日本"]
        {
            assert_eq!(round_trip(value), value);
        }
    }

    #[test]
    fn a_pair_that_does_not_fit_is_left_out_whole() {
        let mut writer = LineWriter::new();
        let long = "x".repeat(MAX_LINE);
        let line = writer.start("verb").text("long", &long).number("after", 7).finish().to_vec();
        let message = Message::parse(&line[..line.len() - 1]).expect("still a message");
        assert_eq!(message.optional_text("long"), Ok(None));
        assert_eq!(message.number("after"), Ok(7));
    }

    #[test]
    fn the_longest_value_that_fits_is_kept() {
        let mut writer = LineWriter::new();
        let value = "x".repeat(MAX_LINE - "v k=\n".len());
        let line = writer.start("v").text("k", &value).finish().to_vec();
        assert_eq!(line.len(), MAX_LINE);
        assert_eq!(Message::parse(&line[..line.len() - 1]).unwrap().text("k").unwrap(), value);
    }

    #[test]
    fn garbage_is_an_error_and_never_a_panic() {
        for line in [
            &b""[..],
            b" ",
            b"=",
            b"Verb",
            b"verb key",
            b"verb =x",
            b"verb  a=b",
            b"verb a=\x01",
            b"\xff\xfe",
            b"verb a=b ",
            b"%00",
        ] {
            assert!(Message::parse(line).is_err(), "{line:?}");
        }
        for (line, key) in [
            ("v n=-1", "n"),
            ("v n=+1", "n"),
            ("v n=1.5", "n"),
            ("v n=", "n"),
            ("v n=18446744073709551616", "n"),
            ("v", "n"),
        ] {
            assert!(Message::parse(line.as_bytes()).unwrap().number(key).is_err(), "{line}");
        }
        for line in ["v t=%", "v t=%4", "v t=%zz", "v t=%ff"] {
            assert!(Message::parse(line.as_bytes()).unwrap().text("t").is_err(), "{line}");
        }
    }
}

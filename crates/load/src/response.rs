//! Reads responses, however they are cut.

use std::mem::MaybeUninit;

use httparse::{ParserConfig, Status};

use crate::chunks::Chunks;

/// Fields that a head may have; the parser needs to know beforehand.
const FIELDS: usize = 96;

/// The longest head.
const LONGEST_HEAD: usize = 64 * 1024;

/// How a response breaks the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) &'static str);

/// How the end of a body is known.
#[derive(Debug)]
enum Framing {
    /// So many bytes are left.
    Length(u64),
    Chunks(Chunks),
    /// The connection is closed.
    Close,
}

#[derive(Debug)]
enum State {
    Head,
    Body(Framing),
    Done,
}

/// What a head says.
#[derive(Debug)]
struct Head {
    status: u16,
    keep_alive: bool,
    framing: Framing,
}

/// Reads one response after the other.
#[derive(Debug)]
pub(crate) struct Reader {
    state: State,
    /// The beginning of a head or of a line, as long as that is not whole.
    held: Vec<u8>,
    status: u16,
    keep_alive: bool,
    begun: bool,
}

impl Reader {
    pub(crate) fn new() -> Self {
        Self { state: State::Head, held: Vec::new(), status: 0, keep_alive: false, begun: false }
    }

    /// Begins the next response.
    pub(crate) fn begin(&mut self) {
        self.state = State::Head;
        self.held.clear();
        self.begun = false;
    }

    /// Takes what came, hands on what belongs to the body, and says how much of the input belongs to the response once that has ended.
    pub(crate) fn take(&mut self, input: &[u8], data: &mut impl FnMut(&[u8])) -> Result<Option<usize>, Malformed> {
        self.begun |= !input.is_empty();
        let mut rest = input;
        loop {
            let ended = match &mut self.state {
                State::Head => match self.head(rest)? {
                    Some(used) => {
                        rest = &rest[used..];
                        continue;
                    }
                    None => return Ok(None),
                },
                State::Body(Framing::Length(left)) => {
                    let here = usize::try_from(*left).unwrap_or(usize::MAX).min(rest.len());
                    if here > 0 {
                        data(&rest[..here]);
                    }
                    rest = &rest[here..];
                    *left -= here as u64;
                    *left == 0
                }
                State::Body(Framing::Chunks(chunks)) => match chunks.take(rest, &mut self.held, data)? {
                    Some(used) => {
                        rest = &rest[used..];
                        true
                    }
                    None => false,
                },
                State::Body(Framing::Close) => {
                    data(rest);
                    false
                }
                State::Done => true,
            };
            if !ended {
                return Ok(None);
            }
            self.state = State::Done;
            return Ok(Some(input.len() - rest.len()));
        }
    }

    /// The connection was closed. Whether the response is whole by that.
    pub(crate) fn close(&mut self) -> bool {
        if matches!(self.state, State::Body(Framing::Close)) {
            self.state = State::Done;
        }
        matches!(self.state, State::Done)
    }

    /// The response's status.
    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    /// Whether the server keeps the connection.
    pub(crate) fn keep_alive(&self) -> bool {
        self.keep_alive
    }

    /// Whether any of the response came.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Takes a head, or what there is of it. Says how much of the input belongs to it once it is whole.
    fn head(&mut self, input: &[u8]) -> Result<Option<usize>, Malformed> {
        let before = self.held.len();
        let head = if before == 0 {
            parse(input)?
        } else {
            self.held.extend_from_slice(input);
            parse(&self.held)?
        };
        let Some((length, head)) = head else {
            if before == 0 {
                self.held.extend_from_slice(input);
            }
            return if self.held.len() > LONGEST_HEAD { Err(Malformed("an endless head")) } else { Ok(None) };
        };
        self.held.clear();
        // Interim responses announce the real one, RFC 9110, section 15.2.
        if head.status >= 200 {
            self.status = head.status;
            self.keep_alive = head.keep_alive;
            self.state = State::Body(head.framing);
        }
        Ok(Some(length.saturating_sub(before)))
    }
}

/// The head that these bytes begin with, and its length; nothing where it is not whole.
fn parse(bytes: &[u8]) -> Result<Option<(usize, Head)>, Malformed> {
    let mut fields = [const { MaybeUninit::uninit() }; FIELDS];
    let mut response = httparse::Response::new(&mut []);
    let parsed = ParserConfig::default().parse_response_with_uninit_headers(&mut response, bytes, &mut fields);
    let length = match parsed {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Malformed("a head of too many fields")),
        Err(_) => return Err(Malformed("no head of HTTP/1.x")),
    };
    let status = response.code.unwrap_or(0);
    let mut content_length = None;
    let mut chunked = false;
    let mut keep_alive = response.version == Some(1);
    for field in &*response.headers {
        // Most fields are told apart by their length alone.
        match field.name.len() {
            14 if field.name.eq_ignore_ascii_case("content-length") => {
                let number = digits(field.value).ok_or(Malformed("a length that is no number"))?;
                if content_length.replace(number).is_some_and(|other| other != number) {
                    return Err(Malformed("two lengths"));
                }
            }
            17 if field.name.eq_ignore_ascii_case("transfer-encoding") => {
                if !field.value.trim_ascii().eq_ignore_ascii_case(b"chunked") {
                    return Err(Malformed("a transfer coding that was not asked for"));
                }
                chunked = true;
            }
            10 if field.name.eq_ignore_ascii_case("connection") => {
                for option in field.value.split(|&byte| byte == b',') {
                    let option = option.trim_ascii();
                    if option.eq_ignore_ascii_case(b"close") {
                        keep_alive = false;
                    } else if option.eq_ignore_ascii_case(b"keep-alive") {
                        keep_alive = true;
                    }
                }
            }
            _ => {}
        }
    }
    let framing = match (status, chunked, content_length) {
        (..100 | 101 | 600.., ..) => return Err(Malformed("a status that means nothing here")),
        // These never have a body, whatever their head says: RFC 9112, section 6.3.
        (102..200 | 100 | 204 | 304, ..) => Framing::Length(0),
        // One of them is wrong, and whoever takes the other reads another response.
        (_, true, Some(_)) => return Err(Malformed("a length and chunks")),
        (_, true, None) => Framing::Chunks(Chunks::new()),
        (_, false, Some(length)) => Framing::Length(length),
        (_, false, None) => Framing::Close,
    };
    let keep_alive = keep_alive && !matches!(framing, Framing::Close);
    Ok(Some((length, Head { status, keep_alive, framing })))
}

/// A number of nothing but digits.
fn digits(value: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(value).ok()?.trim_matches([' ', '\t']);
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What came of reading.
    #[derive(Clone, Debug, PartialEq, Eq)]
    enum Read {
        Whole { status: u16, keep_alive: bool, body: Vec<u8>, behind: usize },
        Truncated,
        Malformed(&'static str),
    }

    /// Reads pieces one after the other, then the end of the connection.
    fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Read {
        let mut reader = Reader::new();
        reader.begin();
        let mut body = Vec::new();
        let mut behind = None;
        for piece in pieces {
            if let Some(behind) = &mut behind {
                *behind += piece.len();
                continue;
            }
            match reader.take(piece, &mut |data| body.extend_from_slice(data)) {
                Ok(Some(used)) => behind = Some(piece.len() - used),
                Ok(None) => {}
                Err(Malformed(how)) => return Read::Malformed(how),
            }
        }
        if !reader.close() {
            return Read::Truncated;
        }
        Read::Whole { status: reader.status(), keep_alive: reader.keep_alive(), body, behind: behind.unwrap_or(0) }
    }

    fn whole(status: u16, keep_alive: bool, body: &str) -> Read {
        Read::Whole { status, keep_alive, body: body.into(), behind: 0 }
    }

    #[test]
    fn the_end_of_a_body_is_known_in_all_the_ways_there_are() {
        for (text, expected) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", whole(200, true, "hello")),
            ("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", whole(200, true, "")),
            ("HTTP/1.1 200\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi", whole(200, true, "hi")),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: x, Close\r\n\r\nhi", whole(200, false, "hi")),
            ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", whole(200, false, "hi")),
            ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi", whole(200, true, "hi")),
            ("HTTP/1.1 200 OK\r\n\r\nuntil it closes", whole(200, false, "until it closes")),
            ("HTTP/1.1 204 No Content\r\n\r\n", whole(204, true, "")),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n", whole(304, true, "")),
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nno!", whole(404, true, "no!")),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", whole(200, true, "x")),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n1;a=b\r\n \r\n00a \r\n0123456789\r\n0\r\n\r\n",
                whole(200, true, "hello 0123456789"),
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n\n\r\n0\r\nA: b\r\nC: d\r\n\r\n",
                whole(200, true, "\n"),
            ),
        ] {
            assert_eq!(read([text.as_bytes()]), expected, "{text:?}");
        }
    }

    #[test]
    fn what_breaks_the_rules_is_told() {
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let head = |field: &str| format!("HTTP/1.1 200 OK\r\n{field}\r\n\r\n");
        for (text, how) in [
            ("nonsense\r\n\r\n".to_owned(), "no head"),
            ("HTTP/2.0 200 OK\r\n\r\n".into(), "no head"),
            ("HTTP/1.1 2x0 OK\r\n\r\n".into(), "no head"),
            ("HTTP/1.1 099 OK\r\n\r\n".into(), "status"),
            ("HTTP/1.1 101 Switching Protocols\r\n\r\n".into(), "status"),
            ("HTTP/1.1 999 OK\r\n\r\n".into(), "status"),
            (head("Content-Length: -1"), "no number"),
            (head("Content-Length: +1"), "no number"),
            (head("Content-Length:"), "no number"),
            (head("Content-Length: 18446744073709551616"), "no number"),
            (head("Content-Length: 1\r\nContent-Length: 2"), "two lengths"),
            (head("Content-Length: 1\r\nTransfer-Encoding: chunked"), "a length and chunks"),
            (head("Transfer-Encoding: gzip, chunked"), "coding"),
            (head(&"A: b\r\n".repeat(FIELDS + 1)), "too many fields"),
            (format!("{chunked}\r\n"), "without a size"),
            (format!("{chunked};a\r\n"), "without a size"),
            (format!("{chunked}1\n"), "ends wrongly"),
            (format!("{chunked}1g\r\n"), "no number"),
            (format!("{chunked}11111111111111111\r\n"), "no number"),
            (format!("{chunked}1\r\nab\r\n"), "longer than it says"),
            (format!("{chunked}0\r\nfield\r\n"), "no field"),
            (format!("{chunked}1{}", " ".repeat(9_000)), "endless line"),
            (format!("HTTP/1.1 200 OK\r\nA: {}", "b".repeat(LONGEST_HEAD)), "endless head"),
        ] {
            match read([text.as_bytes()]) {
                Read::Malformed(told) => assert!(told.contains(how), "{told:?} of {text:?}"),
                other => panic!("{other:?} of {text:?}"),
            }
        }
    }

    #[test]
    fn bytes_behind_a_response_are_not_part_of_it() {
        for text in [
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
            "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ] {
            let Read::Whole { behind, .. } = read([format!("{text}more").as_bytes()]) else { panic!("{text:?}") };
            assert_eq!(behind, 4, "{text:?}");
        }
    }

    /// A response, its body and whether only the end of the connection ends it.
    fn response() -> impl Strategy<Value = (Vec<u8>, Read, bool)> {
        let body = prop::collection::vec(any::<u8>(), 0..300);
        let sizes = prop::collection::vec(1..40_usize, 1..20);
        (200..600_u16, body, 0..3, sizes, any::<bool>(), 0..3_usize, "[ -~]{0,40}").prop_map(
            |(status, body, framing, sizes, close, interim, reason)| {
                let status = if matches!(status, 204 | 304) { 200 } else { status };
                let mut text = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(interim).into_bytes();
                text.extend(format!("HTTP/1.1 {status} {reason}\r\nX-Filler: {reason}\r\n").bytes());
                if close {
                    text.extend(b"Connection: close\r\n");
                }
                match framing {
                    0 => {
                        text.extend(format!("Content-Length: {}\r\n\r\n", body.len()).bytes());
                        text.extend(&body);
                    }
                    1 => {
                        text.extend(b"Transfer-Encoding: chunked\r\n\r\n");
                        let mut rest = body.as_slice();
                        let mut sizes = sizes.iter().cycle();
                        while let (false, Some(&size)) = (rest.is_empty(), sizes.next()) {
                            let (chunk, others) = rest.split_at(size.min(rest.len()));
                            text.extend(format!("{:X};n={size}\r\n", chunk.len()).bytes());
                            text.extend(chunk);
                            text.extend(b"\r\n");
                            rest = others;
                        }
                        text.extend(b"0\r\nTrailer: yes\r\n\r\n");
                    }
                    _ => {
                        text.extend(b"\r\n");
                        text.extend(&body);
                    }
                }
                let by_close = framing == 2;
                (text, Read::Whole { status, keep_alive: !close && !by_close, body, behind: 0 }, by_close)
            },
        )
    }

    /// The text cut at these places.
    fn cut<'a>(text: &'a [u8], places: &[prop::sample::Index]) -> Vec<&'a [u8]> {
        let mut places: Vec<usize> = places.iter().map(|place| place.index(text.len() + 1)).collect();
        places.sort_unstable();
        let ends = places.iter().copied().chain([text.len()]);
        let starts = [0].into_iter().chain(places.iter().copied());
        starts.zip(ends).map(|(start, end)| &text[start..end]).collect()
    }

    proptest! {
        #[test]
        fn a_response_is_the_same_however_it_is_cut(
            (text, expected, _) in response(), places in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        ) {
            prop_assert_eq!(read(cut(&text, &places)), expected);
        }

        #[test]
        fn a_response_can_be_cut_at_any_byte((text, expected, _) in response()) {
            for place in 0..=text.len() {
                let (one, two) = text.split_at(place);
                prop_assert_eq!(&read([one, two]), &expected, "cut at {}", place);
            }
            prop_assert_eq!(read(text.chunks(1)), expected);
        }

        #[test]
        fn a_response_without_its_end_is_truncated((text, expected, by_close) in response(), place in any::<prop::sample::Index>()) {
            let part = read([&text[..place.index(text.len())]]);
            if by_close {
                // The end of the connection is the only end there is: nobody can know better.
                let known = part == Read::Truncated || matches!(part, Read::Whole { .. });
                prop_assert!(known, "{:?}", part);
            } else {
                prop_assert_eq!(&part, &Read::Truncated);
                prop_assert_ne!(part, expected);
            }
        }

        #[test]
        fn garbage_comes_to_the_same_however_it_is_cut(
            text in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\r'), Just(b'\n'), b'0'..=b'9'], 0..200),
            with_head in any::<bool>(),
            places in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        ) {
            let head: &[u8] = if with_head { b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" } else { b"" };
            let text = [head, &text].concat();
            prop_assert_eq!(read(cut(&text, &places)), read([text.as_slice()]));
        }
    }
}

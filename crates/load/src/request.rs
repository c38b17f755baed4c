//! What is sent: the same bytes every time, laid out once.

use std::fmt::Write;
use std::sync::Arc;

use crate::Error;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// To be given something.
    Get,
    /// To take a body.
    Post,
}

impl Method {
    /// As it stands in a request.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }

    /// The method of this name.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Get, Self::Post].into_iter().find(|method| method.word() == word)
    }
}

/// A request, head and body, as it goes over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    bytes: Arc<[u8]>,
    keep_alive: bool,
}

/// Fields that the generator writes itself.
const OWN: [&str; 4] = ["host", "content-length", "transfer-encoding", "connection"];

impl Request {
    /// Lays it out. `host` is the server as the client names it, and `headers` are fields beside those that every request has.
    pub fn new(
        method: Method,
        host: &str,
        path: &str,
        headers: &[(String, String)],
        body: &[u8],
        keep_alive: bool,
    ) -> Result<Self, Error> {
        let wrong = |what: &str, text: &str| Err(Error::Usage(format!("{text:?} cannot be {what}")));
        if !path.starts_with('/') || !path.bytes().all(|byte| byte.is_ascii_graphic()) {
            return wrong("the path of a request", path);
        }
        if host.is_empty() || !host.bytes().all(|byte| byte.is_ascii_graphic()) {
            return wrong("the host of a request", host);
        }
        let mut head = format!("{} {path} HTTP/1.1\r\nHost: {host}\r\n", method.word());
        // Writing to memory does not fail.
        for (name, value) in headers {
            if name.is_empty() || !name.bytes().all(is_token) {
                return wrong("the name of a header", name);
            }
            if OWN.iter().any(|own| name.eq_ignore_ascii_case(own)) {
                return wrong("given: the generator sets this header itself", name);
            }
            if value.chars().any(|letter| letter.is_control() && letter != '\t') {
                return wrong("the value of a header", value);
            }
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if method == Method::Post || !body.is_empty() {
            let _ = write!(head, "Content-Length: {}\r\n", body.len());
        }
        if !keep_alive {
            head.push_str("Connection: close\r\n");
        }
        head.push_str("\r\n");
        Ok(Self { bytes: [head.as_bytes(), body].concat().into(), keep_alive })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether it asks for the connection to be kept.
    pub fn keep_alive(&self) -> bool {
        self.keep_alive
    }
}

/// A character of a token, RFC 9110, section 5.6.2.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(method: Method, headers: &[(&str, &str)], body: &str, keep_alive: bool) -> Result<String, Error> {
        let headers: Vec<_> = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let request = Request::new(method, "here:81", "/a?b", &headers, body.as_bytes(), keep_alive)?;
        Ok(String::from_utf8(request.bytes().to_vec()).expect("all of it was text"))
    }

    #[test]
    fn a_request_has_what_it_needs_and_no_more() {
        assert_eq!(laid_out(Method::Get, &[], "", true).unwrap(), "GET /a?b HTTP/1.1\r\nHost: here:81\r\n\r\n");
        assert_eq!(
            laid_out(Method::Get, &[("X-One", "1 2")], "", false).unwrap(),
            "GET /a?b HTTP/1.1\r\nHost: here:81\r\nX-One: 1 2\r\nConnection: close\r\n\r\n"
        );
        assert_eq!(
            laid_out(Method::Post, &[], "body", true).unwrap(),
            "POST /a?b HTTP/1.1\r\nHost: here:81\r\nContent-Length: 4\r\n\r\nbody"
        );
        assert!(laid_out(Method::Post, &[], "", true).unwrap().contains("Content-Length: 0\r\n"));
    }

    #[test]
    fn nothing_can_be_smuggled_in() {
        for header in [("a b", ""), ("", "x"), ("a", "b\r\nc: d"), ("a\n", "b"), ("HOST", "x"), ("connection", "close")]
        {
            assert!(laid_out(Method::Get, &[header], "", true).is_err(), "{header:?}");
        }
        for path in ["", "a", "/a b", "/\r\n", "/ä"] {
            assert!(Request::new(Method::Get, "here", path, &[], b"", true).is_err(), "{path:?}");
        }
        assert!(Request::new(Method::Get, "a\nb", "/", &[], b"", true).is_err());
    }
}

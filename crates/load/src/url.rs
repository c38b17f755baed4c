//! Where a server is: `http://host:port/path`.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;

use crate::Error;

/// An address as people write it. Only plain HTTP: what is of interest is the server and not its encryption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    host: String,
    port: u16,
    path: String,
}

impl Url {
    /// What follows the server: path and query.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Host and port as they stand in a request.
    pub fn authority(&self) -> String {
        if self.port == HTTP { self.host.clone() } else { format!("{}:{}", self.host, self.port) }
    }

    /// The first address that the name means.
    pub fn address(&self) -> Result<SocketAddr, Error> {
        // An address of version 6 stands in brackets, without which it cannot be told from its port.
        let bare = self.host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&self.host);
        let fail = |source| Error::Resolve { host: self.host.clone(), source };
        let mut addresses = (bare, self.port).to_socket_addrs().map_err(fail)?;
        addresses.next().ok_or_else(|| fail(std::io::Error::other("the name has no address")))
    }
}

/// The port of HTTP.
const HTTP: u16 = 80;

impl FromStr for Url {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rest = match text.split_once("://") {
            Some(("http", rest)) => rest,
            Some((scheme, _)) => return Err(format!("{scheme} is not spoken here; give an address with http://")),
            None => text,
        };
        if !rest.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("an address has neither spaces nor letters beyond ASCII; escape them with %".into());
        }
        // What follows # is for the reader of a page and never sent.
        let rest = rest.split('#').next().unwrap_or_default();
        let at = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(at);
        if authority.contains('@') {
            return Err("names and passwords cannot be given; use a header".into());
        }
        let host_end = authority.rfind(']').map_or(0, |bracket| bracket + 1);
        let (host, port) = match authority[host_end..].split_once(':') {
            Some((more, port)) => (&authority[..host_end + more.len()], port),
            None => (authority, "80"),
        };
        if host.is_empty() || (host_end == 0 && host.contains([':', '[', ']'])) {
            return Err("write http://HOST:PORT/PATH".into());
        }
        let port = match port.parse() {
            Ok(port) if port > 0 => port,
            _ => return Err(format!("{port:?} is no port")),
        };
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Ok(Self { host: host.to_owned(), port, path })
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.authority(), self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, String) {
        let url: Url = text.parse().unwrap();
        (url.authority(), url.path().to_owned())
    }

    #[test]
    fn an_address_has_a_host_a_port_and_a_path() {
        for (text, authority, path) in [
            ("http://localhost:8080/hello", "localhost:8080", "/hello"),
            ("localhost:8080", "localhost:8080", "/"),
            ("http://example.org", "example.org", "/"),
            ("http://example.org:80/a?b=c#d", "example.org", "/a?b=c"),
            ("http://example.org?b", "example.org", "/?b"),
            ("http://[::1]:81/x:y", "[::1]:81", "/x:y"),
            ("http://[::1]/", "[::1]", "/"),
        ] {
            assert_eq!(parts(text), (authority.into(), path.into()), "{text}");
        }
        assert_eq!("localhost:8080".parse::<Url>().unwrap().to_string(), "http://localhost:8080/");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for wrong in [
            "",
            "http://",
            "https://a",
            "ftp://a/b",
            "http://:80",
            "http://a:0",
            "http://a:65536",
            "http://a:b",
            "http://a b",
            "http://ä",
            "http://u:p@a/",
            "::1",
            "http://a\n/",
        ] {
            assert!(wrong.parse::<Url>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn numbers_are_addresses() {
        for (text, address) in [("http://127.0.0.1:81/", "127.0.0.1:81"), ("http://[::1]:81/", "[::1]:81")] {
            assert_eq!(text.parse::<Url>().unwrap().address().unwrap(), address.parse().unwrap());
        }
    }
}

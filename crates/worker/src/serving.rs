//! A workload as a server that others put under load, from this host or from another.

use std::net::SocketAddr;

/// A server at work. Dropping it ends it.
pub trait Serving: Sync {
    /// Requests that were answered so far.
    fn answered(&self) -> u64;
}

/// What a server is asked for, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Where it listens, with the port that it has.
    pub address: SocketAddr,
    /// How it is asked: `GET` or `POST`.
    pub method: &'static str,
    /// What it is asked for, with the slash.
    pub path: &'static str,
    /// The type of the bodies.
    pub content_type: &'static str,
    /// The body of a request; empty where it has none.
    pub request: Vec<u8>,
    /// The body of the right answer.
    pub answer: Vec<u8>,
}

//! What is put under load.

use std::net::SocketAddr;
use std::time::Duration;

use crate::{Error, Expected, Request};

/// A server, the request that is made of it, and what is expected back.
#[derive(Clone, Debug)]
pub struct Target {
    /// The server.
    pub address: SocketAddr,
    /// What is sent every time.
    pub request: Request,
    /// How many connections there are. As many requests can be under way.
    pub connections: usize,
    /// How many threads share them.
    pub threads: usize,
    /// After how long a request has failed.
    pub timeout: Duration,
    /// What every body must be.
    pub expected: Expected,
}

impl Target {
    /// Fails where the numbers make no sense.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let wrong = |what: &str| Err(Error::Usage(what.into()));
        if self.connections == 0 || u32::try_from(self.connections).is_err() {
            return wrong("there must be at least one connection, and fewer than four billion");
        }
        if self.threads == 0 || self.threads > self.connections {
            return wrong("there must be at least one thread, and a connection for each");
        }
        if self.timeout.is_zero() {
            return wrong("no request is answered in no time: give a longer timeout");
        }
        Ok(())
    }
}

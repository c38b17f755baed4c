//! What keeps a load from being made. What goes wrong with a single request is a [`Failure`](crate::Failure).

use std::io;
use std::net::SocketAddr;

/// Why nothing could be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The process may not have so many descriptors as there are to be connections.
    #[error(
        "{connections} connections need {needed} descriptors, and this process may have {hard}: {possible} connections are \
         possible. Raise the hard limit: `ulimit -Hn {needed}` as root, `nofile` in limits.conf(5), `LimitNOFILE=` of a systemd \
         unit, or `--ulimit nofile={needed}` of a container"
    )]
    Descriptors {
        /// Connections that were asked for.
        connections: usize,
        /// Descriptors that they need, with those that are open already.
        needed: u64,
        /// The hard limit.
        hard: u64,
        /// Connections that it leaves room for.
        possible: u64,
    },
    /// The server's name means nothing.
    #[error("cannot find {host}: {source}")]
    Resolve {
        /// The host as it was given.
        host: String,
        /// The system's reason.
        source: io::Error,
    },
    /// There is no server, or it does not take so many connections.
    #[error("cannot connect to {address}, with {opened} of {connections} connections open: {source}")]
    Connect {
        /// The server.
        address: SocketAddr,
        /// Connections that were open by then.
        opened: usize,
        /// Connections that were asked for.
        connections: usize,
        /// The system's reason.
        source: io::Error,
    },
    /// The system refused something else.
    #[error("{action}: {source}")]
    System {
        /// What was tried, such as `cannot wait for connections`.
        action: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// Who drives the generator says what it does not understand.
    #[error(transparent)]
    Line(#[from] heapmark_protocol::ParseError),
}

impl Error {
    /// For [`map_err`](Result::map_err).
    pub(crate) fn system<E: Into<io::Error>>(action: &'static str) -> impl FnOnce(E) -> Self {
        move |source| Self::System { action, source: source.into() }
    }
}

//! What a workload that serves requests says of them.

use heapmark_protocol::Latency;

/// The requests of a sample, as whoever made them saw it: those of all turns but the first, which warms up.
///
/// Latency is that of requests that were answered as expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// Requests that were made, those that failed included.
    pub count: u64,
    /// Whether latency counts from when a request was due, at a fixed rate; if not, from when it was sent.
    pub open_loop: bool,
    /// The least latency.
    pub min_ns: u64,
    /// The mean.
    pub mean_ns: u64,
    /// The standard deviation.
    pub sd_ns: u64,
    /// The median.
    pub p50_ns: u64,
    /// 66 % were answered within it.
    pub p66_ns: u64,
    /// 75 % were.
    pub p75_ns: u64,
    /// 80 % were.
    pub p80_ns: u64,
    /// 90 % were.
    pub p90_ns: u64,
    /// 95 % were.
    pub p95_ns: u64,
    /// 98 % were.
    pub p98_ns: u64,
    /// 99 % were.
    pub p99_ns: u64,
    /// 99.9 % were.
    pub p999_ns: u64,
    /// The greatest.
    pub max_ns: u64,
    /// Bytes sent to the server.
    pub sent_bytes: u64,
    /// Bytes received from it.
    pub received_bytes: u64,
    /// Connections that were open at once.
    pub connections: u64,
    /// Requests that failed, by how.
    pub errors: RequestErrors,
    /// User time of whoever made the requests, where another process did.
    pub user_ns: Option<u64>,
    /// Its system time.
    pub system_ns: Option<u64>,
}

/// Requests that failed, by how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestErrors {
    /// No connection was to be had.
    pub refused: u64,
    /// The connection was reset.
    pub reset: u64,
    /// No answer in time.
    pub timeout: u64,
    /// Another status than the expected one.
    pub status: u64,
    /// Another body.
    pub body: u64,
    /// The answer ended too early.
    pub truncated: u64,
    /// The answer could not be understood.
    pub protocol: u64,
}

impl From<Requests> for Latency {
    fn from(requests: Requests) -> Self {
        Self {
            count: requests.count,
            open_loop: requests.open_loop,
            min_ns: requests.min_ns,
            mean_ns: requests.mean_ns,
            sd_ns: requests.sd_ns,
            p50_ns: requests.p50_ns,
            p66_ns: requests.p66_ns,
            p75_ns: requests.p75_ns,
            p80_ns: requests.p80_ns,
            p90_ns: requests.p90_ns,
            p95_ns: requests.p95_ns,
            p98_ns: requests.p98_ns,
            p99_ns: requests.p99_ns,
            p999_ns: requests.p999_ns,
            max_ns: requests.max_ns,
            sent_bytes: requests.sent_bytes,
            received_bytes: requests.received_bytes,
            connections: requests.connections,
            errors_refused: requests.errors.refused,
            errors_reset: requests.errors.reset,
            errors_timeout: requests.errors.timeout,
            errors_status: requests.errors.status,
            errors_body: requests.errors.body,
            errors_truncated: requests.errors.truncated,
            errors_protocol: requests.errors.protocol,
            user_ns: requests.user_ns,
            system_ns: requests.system_ns,
        }
    }
}

//! What came of a load, for programs.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::clock::nanos;
use crate::{Failure, Load, Outcome, Summary, Target};

/// A load and what came of it. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The server and what was asked of it, as it was given.
    pub url: String,
    /// Connections.
    pub connections: u64,
    /// Threads that shared them.
    pub threads: u64,
    /// Whether a connection carried many requests.
    pub keep_alive: bool,
    /// Requests in a second that were due in an open loop; absent for a closed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<u64>,
    /// Requests that were answered as expected.
    pub requests: u64,
    /// Requests that were not.
    pub failed: u64,
    /// The same by kind.
    pub failures: BTreeMap<&'static str, u64>,
    /// What the first failure was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_failure: Option<String>,
    /// Connections made while requests were.
    pub opened: u64,
    /// From the first request to the last response.
    pub wall_ns: u64,
    /// CPU time of the generator in user mode.
    pub user_ns: u64,
    /// CPU time of the generator in the kernel.
    pub system_ns: u64,
    /// Requests answered as expected, in a second.
    pub requests_per_second: f64,
    /// Requests answered as expected, for each second of the generator's CPU time.
    pub requests_per_cpu_second: f64,
    /// Bytes received, heads included.
    pub bytes: u64,
    /// Bytes received in a second.
    pub bytes_per_second: f64,
    /// Latency of the requests that were answered as expected; absent where there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Summary>,
    /// How many were answered as expected in each second.
    pub each_second: Vec<u64>,
    /// All latencies: an `HdrHistogram`, in its V2 encoding, compressed, in base64.
    pub histogram: String,
}

impl Report {
    /// Of a load on a target that was given as `url`.
    pub fn new(url: String, target: &Target, load: &Load, outcome: &Outcome) -> Self {
        let per = |number: u64, time: std::time::Duration| {
            if time.is_zero() { 0.0 } else { number as f64 / time.as_secs_f64() }
        };
        Self {
            url,
            connections: target.connections as u64,
            threads: target.threads as u64,
            keep_alive: target.request.keep_alive(),
            rate: load.rate,
            requests: outcome.requests,
            failed: outcome.failures.total(),
            failures: Failure::ALL.map(|failure| (failure.word(), outcome.failures.count(failure))).into(),
            first_failure: outcome.failures.first().map(str::to_owned),
            opened: outcome.opened,
            wall_ns: nanos(outcome.wall),
            user_ns: nanos(outcome.user),
            system_ns: nanos(outcome.system),
            requests_per_second: per(outcome.requests, outcome.wall),
            requests_per_cpu_second: per(outcome.requests, outcome.user + outcome.system),
            bytes: outcome.bytes,
            bytes_per_second: per(outcome.bytes, outcome.wall),
            latency: outcome.latencies.summary(),
            each_second: outcome.each_second.clone(),
            histogram: outcome.latencies.encoded(),
        }
    }
}

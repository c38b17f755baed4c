//! Puts an HTTP/1.1 server under load and says how it stood it: requests in a second, latency, errors by kind.
//!
//! A [`Target`] says where the requests go and what is expected back, a [`Load`] how many there are and how fast they come. A
//! [`Generator`] holds the connections. In a **closed loop** each connection sends its next request when it has the response to the last:
//! as many requests are under way as there are connections, and a server that stalls is asked less. In an **open loop** requests are due
//! at a fixed rate, and latency counts from when a request was due: who waits behind a stall is counted as having waited.
//!
//! The program `heapmark-load` does the same for another program that tells it what to do, line by line; see [`control`].

mod affinity;
mod body;
mod chunks;
mod clock;
pub mod control;
mod cpu;
mod descriptors;
mod driver;
mod error;
mod failure;
mod generator;
mod latencies;
mod pace;
mod report;
mod request;
mod response;
mod slot;
mod tally;
mod target;
mod text;
mod url;

pub use affinity::run_on;
pub use body::{Digest, Expected};
pub use error::Error;
pub use failure::{Failure, Failures};
pub use generator::{Generator, Outcome};
pub use latencies::{Latencies, PERCENTAGES, Share, Summary};
pub use pace::{Amount, Load};
pub use report::Report;
pub use request::{Method, Request};
pub use target::Target;
pub use text::text;
pub use url::Url;

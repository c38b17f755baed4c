//! The generator against servers that behave and servers that do not.

mod behaviour;
mod control;
mod crowd;
mod many;
mod server;

use std::net::SocketAddr;
use std::time::Duration;

use heapmark_load::{Amount, Expected, Generator, Load, Method, Outcome, Request, Target};

/// A target for whole responses, with patience for a busy machine.
fn target(address: SocketAddr, connections: usize) -> Target {
    Target {
        address,
        request: request(address, true),
        connections,
        threads: 1,
        timeout: Duration::from_mins(1),
        expected: Expected::Whole,
    }
}

fn request(address: SocketAddr, keep_alive: bool) -> Request {
    Request::new(Method::Get, &address.to_string(), "/hello", &[], b"", keep_alive).expect("it makes sense")
}

/// A closed loop.
fn requests(requests: u64) -> Load {
    Load { amount: Amount::Requests(requests), rate: None }
}

/// Connects and makes a load.
fn run(target: &Target, load: &Load) -> Outcome {
    let mut generator = Generator::connect(target).expect("the server is there");
    generator.run(load, &|| false).expect("the load is made")
}

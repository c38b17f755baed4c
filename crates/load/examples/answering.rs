//! Answers every request with the same body, to compare load generators on: `cargo run --release --example answering -- [BYTES]`.
//! It prints its address, and runs until it is killed. The server is one of the tests'.

#[path = "../tests/load/crowd.rs"]
#[expect(dead_code, reason = "only the tests count connections")]
mod crowd;

use std::error::Error;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

fn main() -> Result<(), Box<dyn Error>> {
    let bytes = std::env::args().nth(1).map_or(Ok(27), |bytes| bytes.parse())?;
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })?;
    let mut crowd = crowd::Crowd::listen(vec![b'x'; bytes])?;
    println!("http://{}/", crowd.address()?);
    crowd.serve(|_| false)?;
    Ok(())
}

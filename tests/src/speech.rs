//! The protocol spoken by hand, for workers that must say what a real one never would.

use heapmark_protocol::{Hello, LineWriter, Proof, WorkerKind, Workload};
use rustix::stdio::stdin;

/// Sends some bytes as they are. Whether they could be sent.
pub fn say(bytes: impl AsRef<[u8]>) -> bool {
    let mut rest = bytes.as_ref();
    while !rest.is_empty() {
        match rustix::io::write(stdin(), rest) {
            Ok(sent) => rest = &rest[sent..],
            Err(_) => return false,
        }
    }
    true
}

/// Waits for the next request; its verb, or nothing once the harness has closed the channel.
pub fn hear() -> Option<String> {
    let line = hear_line()?;
    Some(line.split(' ').next().unwrap_or_default().to_owned())
}

/// Waits for the next request, whole and without its line feed; nothing once the harness has closed the channel.
pub fn hear_line() -> Option<String> {
    let mut line = Vec::new();
    let mut byte = [0];
    loop {
        match rustix::io::read(stdin(), &mut byte) {
            Ok(1) if byte[0] == b'\n' => return Some(String::from_utf8_lossy(&line).into_owned()),
            Ok(1) => line.push(byte[0]),
            _ => return None,
        }
    }
}

/// Introduces the worker soundly, but for the version of the protocol.
pub fn greet(protocol: u64) {
    let hello = Hello {
        protocol,
        name: "test".into(),
        crate_name: "".into(),
        crate_version: "".into(),
        upstream_version: "".into(),
        licence: "".into(),
        forwards: "".into(),
        proof: Proof::Linked,
        proof_detail: "".into(),
        build: "".into(),
        debug_build: false,
        features: "".into(),
        start_rss: None,
        kind: WorkerKind::Allocator,
    };
    say(hello.write(&mut LineWriter::new()).finish());
    say("ready\n");
}

/// Answers `catalogue` with one workload.
pub fn offer() {
    let workload = Workload {
        name: "test/boxes".into(),
        summary: "".into(),
        unit: "block".into(),
        details: "".into(),
        settle_ms: None,
    };
    say(workload.write(&mut LineWriter::new()).finish());
    say("end\n");
}

/// Says no more, and returns once the harness has closed the channel.
pub fn wait_for_the_end() {
    while hear().is_some() {}
}

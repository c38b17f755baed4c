//! Says twice what its requests came to.
use heapmark_protocol::{Latency, LineWriter, Message, Prepared, Turn, Turned, VERSION};
use heapmark_tests::{greet, hear_line, offer, say};

heapmark_tests::hold_lifeline!();

fn main() {
    greet(VERSION);
    let mut line = LineWriter::new();
    while let Some(request) = hear_line() {
        let Ok(message) = Message::parse(request.as_bytes()) else { return };
        match message.verb() {
            "catalogue" => offer(),
            "prepare" => {
                let prepared =
                    Prepared { prepare_ns: 1, lanes: 1, least_units: None, base_rss: None, peak_reset: true };
                say(prepared.write(&mut line).finish());
            }
            "turn" => {
                let count = Turn::read(&message).map_or(0, |turn| turn.units);
                let turned = Turned {
                    count,
                    checksum: 0,
                    wall_ns: 1_000_000_000,
                    user_ns: 1,
                    system_ns: 1,
                    idle_cpu_ns: 0,
                    minor_faults: 0,
                    major_faults: 0,
                    voluntary_switches: 0,
                    involuntary_switches: 0,
                    calls: None,
                    requested: None,
                    rss: None,
                };
                say(turned.write(&mut line).finish());
            }
            "finish" => {
                for _ in 0..2 {
                    let latency = Latency::from(heapmark_tests::heapmark_worker::Requests::default());
                    say(latency.write(&mut line).finish());
                }
            }
            _ => return,
        }
    }
}

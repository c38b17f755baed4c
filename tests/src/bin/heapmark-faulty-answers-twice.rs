//! Gives every answer to a turn twice, so that the second stands for a turn that was never done.
use heapmark_protocol::{LineWriter, Message, Outcome, Prepared, Turn, Turned, VERSION};
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
                let turned = Turned {
                    count: Turn::read(&message).map_or(0, |turn| turn.units),
                    checksum: 0,
                    wall_ns: 1,
                    user_ns: 1,
                    system_ns: 0,
                    idle_cpu_ns: 0,
                    minor_faults: 0,
                    major_faults: 0,
                    voluntary_switches: 0,
                    involuntary_switches: 0,
                    calls: None,
                    requested: None,
                    rss: None,
                };
                let answer = turned.write(&mut line).finish();
                say([answer, answer].concat());
            }
            "finish" => {
                say(Outcome { count: 0, checksum: 0, peak_rss: None, peak_live: None }.write(&mut line).finish());
            }
            _ => return,
        }
    }
}

//! A worker that does no work and says what it likes of it.

use heapmark_protocol::{Latency, LineWriter, Message, Outcome, Prepared, Turn, Turned, VERSION};

use crate::speech::{greet, hear_line, offer, say};

/// What it answers, but for the count of units, which is what was asked for.
#[derive(Clone, Debug)]
pub struct Answers {
    /// When it is ready.
    pub prepared: Prepared,
    /// After each turn.
    pub turned: Turned,
    /// Of its requests, once for each time that it says so.
    pub latency: Vec<Latency>,
    /// At the end.
    pub outcome: Outcome,
}

impl Answers {
    /// Turns of a millisecond of CPU time on one lane, and nothing said of memory.
    pub const PLAIN: Self = Self {
        prepared: Prepared { prepare_ns: 1000, lanes: 1, least_units: None, base_rss: None, peak_reset: true },
        turned: Turned {
            count: 0,
            checksum: 0,
            wall_ns: 1_000_000,
            user_ns: 1_000_000,
            system_ns: 0,
            idle_cpu_ns: 0,
            minor_faults: 0,
            major_faults: 0,
            voluntary_switches: 0,
            involuntary_switches: 0,
            calls: None,
            requested: None,
            rss: None,
        },
        latency: Vec::new(),
        outcome: Outcome { count: 0, checksum: 0, peak_rss: None, peak_live: None },
    };

    /// Answers until the harness has done with it.
    pub fn give(self) {
        greet(VERSION);
        let mut line = LineWriter::new();
        while let Some(request) = hear_line() {
            let Ok(message) = Message::parse(request.as_bytes()) else { return };
            match message.verb() {
                "catalogue" => offer(),
                "prepare" => drop(say(self.prepared.write(&mut line).finish())),
                "turn" => {
                    let count = Turn::read(&message).map_or(0, |turn| turn.units);
                    say(Turned { count, ..self.turned.clone() }.write(&mut line).finish());
                }
                "finish" => {
                    for latency in &self.latency {
                        say(latency.write(&mut line).finish());
                    }
                    say(self.outcome.write(&mut line).finish());
                }
                _ => return,
            }
        }
    }
}

//! Answers with the greatest numbers that there are, the count of units excepted.
use heapmark_protocol::{Latency, LineWriter, Message, Outcome, Prepared, Turn, Turned, VERSION};
use heapmark_tests::{greet, hear_line, offer, say};

heapmark_tests::hold_lifeline!();

const MOST: u64 = u64::MAX;

fn latency() -> Latency {
    Latency {
        count: MOST,
        open_loop: true,
        min_ns: MOST,
        mean_ns: MOST,
        sd_ns: MOST,
        p50_ns: MOST,
        p66_ns: MOST,
        p75_ns: MOST,
        p80_ns: MOST,
        p90_ns: MOST,
        p95_ns: MOST,
        p98_ns: MOST,
        p99_ns: MOST,
        p999_ns: MOST,
        max_ns: MOST,
        sent_bytes: MOST,
        received_bytes: MOST,
        connections: MOST,
        errors_refused: MOST,
        errors_reset: MOST,
        errors_timeout: MOST,
        errors_status: MOST,
        errors_body: MOST,
        errors_truncated: MOST,
        errors_protocol: MOST,
        user_ns: Some(MOST),
        system_ns: Some(MOST),
    }
}

fn main() {
    greet(VERSION);
    let mut line = LineWriter::new();
    while let Some(request) = hear_line() {
        let Ok(message) = Message::parse(request.as_bytes()) else { return };
        match message.verb() {
            "catalogue" => offer(),
            "prepare" => {
                let prepared = Prepared {
                    prepare_ns: MOST,
                    lanes: MOST,
                    least_units: Some(MOST),
                    base_rss: Some(MOST),
                    peak_reset: true,
                };
                say(prepared.write(&mut line).finish());
            }
            "turn" => {
                let count = Turn::read(&message).map_or(0, |turn| turn.units);
                let turned = Turned {
                    count,
                    checksum: MOST,
                    wall_ns: MOST,
                    user_ns: MOST,
                    system_ns: MOST,
                    idle_cpu_ns: MOST,
                    minor_faults: MOST,
                    major_faults: MOST,
                    voluntary_switches: MOST,
                    involuntary_switches: MOST,
                    calls: Some(MOST),
                    requested: Some(MOST),
                    rss: Some(MOST),
                };
                say(turned.write(&mut line).finish());
            }
            "finish" => {
                say(latency().write(&mut line).finish());
                let outcome = Outcome { count: MOST, checksum: MOST, peak_rss: Some(MOST), peak_live: Some(MOST) };
                say(outcome.write(&mut line).finish());
            }
            _ => return,
        }
    }
}

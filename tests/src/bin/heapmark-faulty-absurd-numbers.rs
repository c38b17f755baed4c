//! Answers with the greatest numbers that there are, the count of units excepted.
use heapmark_protocol::{Latency, Outcome, Prepared, Turned};
use heapmark_tests::Answers;

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
    let answers = Answers {
        prepared: Prepared {
            prepare_ns: MOST,
            lanes: MOST,
            least_units: Some(MOST),
            base_rss: Some(MOST),
            peak_reset: true,
        },
        turned: Turned {
            count: 0,
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
        },
        latency: vec![latency()],
        outcome: Outcome { count: MOST, checksum: MOST, peak_rss: Some(MOST), peak_live: Some(MOST) },
    };
    answers.give();
}

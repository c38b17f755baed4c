//! Answers with the greatest numbers that there are, the count of units excepted.
use heapmark_protocol::{Outcome, Prepared, Turned};
use heapmark_tests::Answers;

heapmark_tests::hold_lifeline!();

const MOST: u64 = u64::MAX;

fn main() {
    let answers = Answers {
        prepared: Prepared { prepare_ns: MOST, lanes: MOST, base_rss: Some(MOST), peak_reset: true },
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
        outcome: Outcome { count: MOST, checksum: MOST, peak_rss: Some(MOST), peak_live: Some(MOST) },
    };
    answers.give();
}

//! A sound worker whose kernel counts a peak that is less than what was resident after a turn.
use heapmark_protocol::{Outcome, Turned};
use heapmark_tests::Answers;

heapmark_tests::hold_lifeline!();

const MIB: u64 = 1 << 20;

fn main() {
    let turned = Turned { rss: Some(50 * MIB), ..Answers::PLAIN.turned };
    let outcome = Outcome { peak_rss: Some(49 * MIB), ..Answers::PLAIN.outcome };
    Answers { turned, outcome, ..Answers::PLAIN }.give();
}
